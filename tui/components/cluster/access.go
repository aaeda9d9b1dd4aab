package cluster

import (
	"slices"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Access shows the connections by which the cluster is reached. The API on the bootstrap machine and the API by its name
// distinguish a cluster that is not up from a broken load balancer or DNS record.
type Access struct {
	Theme theme.Theme
	Board *provisioner.Board
}

// Names of the connections in events of type probe.
const (
	probeDirect = "api-direct"
	probeAPI    = "api"
)

// RenderSummary returns the connections in one line, or "".
func (p Access) RenderSummary() string {
	var parts []string
	for _, probe := range p.filterProbes() {
		parts = append(parts, p.Theme.Mark(p.mapProbeStatus(probe))+" "+probe.Name)
	}
	return strings.Join(parts, "  ")
}

func (p Access) renderLines(width int) []string {
	probes := p.filterProbes()
	if len(probes) == 0 {
		return nil
	}
	lines := []string{p.Theme.Label.Render("access ") + p.RenderSummary()}
	if verdict := p.DescribeVerdict(); verdict != "" {
		lines = append(lines, cells.WrapStyled(p.Theme.Caution, verdict, "  ", width)...)
	}
	for _, probe := range probes {
		if probe.State == provisioner.Unreachable {
			lines = append(lines, cells.Truncate("  "+p.Theme.Dim.Render(probe.Name+": ")+probe.Reason, width))
		}
	}
	return lines
}

// DescribeVerdict explains why only one of the connections reaches the API, or returns "".
func (p Access) DescribeVerdict() string {
	direct, named := p.getState(probeDirect), p.getState(probeAPI)
	if direct == provisioner.Reached && named == provisioner.Unreachable {
		return "direct ok, by name failed: check load balancer and DNS"
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

// filterProbes drops probes that prove nothing: the bootstrap machine may be unreachable from here, and its services end with the
// bootstrap.
func (p Access) filterProbes() []provisioner.Event {
	answers := func(e provisioner.Event) bool { return e.Name != probeAPI && e.State == provisioner.Reached }
	if !p.Board.HasReached(state.PhaseTeardown) && slices.ContainsFunc(p.Board.Probes, answers) {
		return p.Board.Probes
	}
	return slices.DeleteFunc(slices.Clone(p.Board.Probes), func(e provisioner.Event) bool { return e.Name != probeAPI })
}

// A failed probe is no problem before there is an API.
func (p Access) mapProbeStatus(probe provisioner.Event) theme.Status {
	switch {
	case probe.State == provisioner.Reached:
		return theme.OK
	case p.Board.HasReached(state.PhaseTemporaryAPI) || probe.Name == probeAPI && p.DescribeVerdict() != "":
		return theme.Warn
	}
	return theme.Waiting
}
