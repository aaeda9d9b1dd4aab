package pane

import (
	"slices"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// Reach tells on which ways the cluster can be reached. The API on the bootstrap machine and the API by its name are
// the two that tell a cluster which is not up from a load balancer or a name that is wrong.
type Reach struct {
	Theme Theme
	Board *provisioner.Board
}

// Names of the ways, as events of type probe tell them.
const (
	wayDirect = "api-direct"
	wayAPI    = "api"
)

// Summary returns the ways in one line, or "".
func (p Reach) Summary() string {
	var parts []string
	for _, probe := range p.probes() {
		parts = append(parts, p.Theme.Mark(p.status(probe))+" "+probe.Name)
	}
	return strings.Join(parts, "  ")
}

// lines tells the ways, what it means, and why the first of those that fail does.
func (p Reach) lines(width int) []string {
	probes := p.probes()
	if len(probes) == 0 {
		return nil
	}
	lines := []string{p.Theme.Label.Render("ways ") + p.Summary()}
	if verdict := p.Verdict(); verdict != "" {
		lines = append(lines, wrapIn(p.Theme.Caution, verdict, "  ", width)...)
	}
	for _, probe := range probes {
		if probe.State == provisioner.Unreachable {
			lines = append(lines, Truncate("  "+p.Theme.Dim.Render(probe.Name+": ")+probe.Reason, width))
		}
	}
	return lines
}

// Verdict says what it means that one way leads to the API and the other does not, or "".
func (p Reach) Verdict() string {
	direct, named := p.state(wayDirect), p.state(wayAPI)
	if direct == provisioner.Reached && named == provisioner.Unreachable {
		return "direct ok, by its name not: the load balancer or DNS is wrong"
	}
	return ""
}

func (p Reach) state(way string) string {
	for _, probe := range p.probes() {
		if probe.Name == way {
			return probe.State
		}
	}
	return ""
}

// probes are those that matter: nothing follows from the bootstrap machine's silence as long as it may not be reached
// from here, and what ran on it goes away when its work is done.
func (p Reach) probes() []provisioner.Event {
	answers := func(e provisioner.Event) bool { return e.Name != wayAPI && e.State == provisioner.Reached }
	if !p.Board.Reached(state.PhaseTeardown) && slices.ContainsFunc(p.Board.Probes, answers) {
		return p.Board.Probes
	}
	return slices.DeleteFunc(slices.Clone(p.Board.Probes), func(e provisioner.Event) bool { return e.Name != wayAPI })
}

// status returns how a way is: that it leads nowhere is no news before there is an API.
func (p Reach) status(probe provisioner.Event) Status {
	switch {
	case probe.State == provisioner.Reached:
		return OK
	case p.Board.Reached(state.PhaseTemporaryAPI) || probe.Name == wayAPI && p.Verdict() != "":
		return Warn
	}
	return Waiting
}
