package pane

import (
	"slices"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// Access tells on which ways the cluster can be reached. The API on the bootstrap machine and the API by its name are
// the two that tell a cluster which is not up from a load balancer or a name that is wrong.
type Access struct {
	Theme Theme
	Board *provisioner.Board
}

// Names of the ways, as events of type probe tell them.
const (
	probeDirect = "api-direct"
	probeAPI    = "api"
)

// RenderSummary returns the ways in one line, or "".
func (p Access) RenderSummary() string {
	var parts []string
	for _, probe := range p.filterProbes() {
		parts = append(parts, p.Theme.Mark(p.mapProbeStatus(probe))+" "+probe.Name)
	}
	return strings.Join(parts, "  ")
}

// renderLines tells the ways, what it means, and why the first of those that fail does.
func (p Access) renderLines(width int) []string {
	probes := p.filterProbes()
	if len(probes) == 0 {
		return nil
	}
	lines := []string{p.Theme.Label.Render("ways ") + p.RenderSummary()}
	if verdict := p.DescribeVerdict(); verdict != "" {
		lines = append(lines, wrapIn(p.Theme.Caution, verdict, "  ", width)...)
	}
	for _, probe := range probes {
		if probe.State == provisioner.Unreachable {
			lines = append(lines, Truncate("  "+p.Theme.Dim.Render(probe.Name+": ")+probe.Reason, width))
		}
	}
	return lines
}

// DescribeVerdict says what it means that one way leads to the API and the other does not, or "".
func (p Access) DescribeVerdict() string {
	direct, named := p.getState(probeDirect), p.getState(probeAPI)
	if direct == provisioner.Reached && named == provisioner.Unreachable {
		return "direct ok, by its name not: the load balancer or DNS is wrong"
	}
	return ""
}

func (p Access) getState(way string) string {
	for _, probe := range p.filterProbes() {
		if probe.Name == way {
			return probe.State
		}
	}
	return ""
}

// filterProbes are those that matter: nothing follows from the bootstrap machine's silence as long as it may not be reached
// from here, and what ran on it goes away when its work is done.
func (p Access) filterProbes() []provisioner.Event {
	answers := func(e provisioner.Event) bool { return e.Name != probeAPI && e.State == provisioner.Reached }
	if !p.Board.HasReached(state.PhaseTeardown) && slices.ContainsFunc(p.Board.Probes, answers) {
		return p.Board.Probes
	}
	return slices.DeleteFunc(slices.Clone(p.Board.Probes), func(e provisioner.Event) bool { return e.Name != probeAPI })
}

// mapProbeStatus returns how a way is: that it leads nowhere is no news before there is an API.
func (p Access) mapProbeStatus(probe provisioner.Event) Status {
	switch {
	case probe.State == provisioner.Reached:
		return OK
	case p.Board.HasReached(state.PhaseTemporaryAPI) || probe.Name == probeAPI && p.DescribeVerdict() != "":
		return Warn
	}
	return Waiting
}
