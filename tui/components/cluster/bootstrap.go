package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Bootstrap shows the phases of the cluster's own bootstrap, the services of the bootstrap machine, and the connections to the
// cluster. Phases overlap, so each has its own status.
type Bootstrap struct {
	Theme theme.Theme
	Board *provisioner.Board
	Now   time.Time
}

// columnsMinWidth is the width from which what does not fit below the phases goes beside them.
const columnsMinWidth = 70

// View draws the phases, one a line, and below or beside them services and connections.
func (p Bootstrap) View(width, height int) string {
	phases, inside := p.renderRows(width), p.renderServices(width)
	switch {
	case len(phases)+len(inside) <= height:
		phases = append(phases, p.renderNext(width, height-len(phases)-len(inside))...)
		return cells.Fill(append(phases, inside...), width, height)
	case width >= columnsMinWidth && len(inside) > 0:
		left := width * 45 / 100
		return cells.JoinColumns(p.scrollToCurrent(p.renderRows(left), height), p.renderServices(width-left-3), left, width, height)
	}
	inside = inside[:min(len(inside), max(height/3, 0))]
	return cells.Fill(append(p.scrollToCurrent(phases, height-len(inside)), inside...), width, height)
}

// renderNext explains the next phase where the rows do not.
func (p Bootstrap) renderNext(width, room int) []string {
	next := p.findNext()
	if next == "" || width >= explainMinWidth || room < 2 {
		return nil
	}
	lines := append([]string{""}, cells.WrapStyled(p.Theme.Dim, "next: "+phaseTexts[next], "", width)...)
	return lines[:min(len(lines), room)]
}

func (p Bootstrap) renderRows(width int) []string {
	var lines []string
	for _, phase := range p.listPhases() {
		lines = append(lines, p.renderRow(phase, width))
	}
	return lines
}

// explainMinWidth is the width from which every phase has its explanation beside it.
const explainMinWidth = 60

// scrollToCurrent returns height rows including the current one, and counts the others.
func (p Bootstrap) scrollToCurrent(rows []string, height int) []string {
	if len(rows) <= height || height < 3 {
		return rows[:min(len(rows), max(height, 0))]
	}
	first := min(max(p.findCurrent()-height/2, 0), len(rows)-height)
	cut := slices.Clone(rows[first : first+height])
	if first > 0 {
		cut[0] = p.Theme.Mark(theme.OK) + p.Theme.Dim.Render(fmt.Sprintf(" %d before", first+1))
	}
	if after := len(rows) - first - height; after > 0 {
		cut[height-1] = p.Theme.Mark(theme.Waiting) + p.Theme.Dim.Render(fmt.Sprintf(" %d pending", after+1))
	}
	return cut
}

func (p Bootstrap) renderServices(width int) []string {
	lines := Access{p.Theme, p.Board}.renderLines(width)
	if !p.Board.HasReached(state.PhaseMemberRemoved) {
		lines = append(Services{p.Theme, p.Board.Stages, p.Now}.renderLines(width), lines...)
	}
	return lines
}

type phase struct {
	name   string
	status theme.Status
	seen   provisioner.PhaseView
	took   time.Duration // since the phase before
}

func (p Bootstrap) listPhases() []phase {
	var phases []phase
	current := p.findNext()
	for _, name := range state.ListPhases() {
		one := phase{name: name}
		if i := slices.IndexFunc(p.Board.Bootstrap, matchPhase(name)); i >= 0 {
			one.status, one.seen = theme.OK, p.Board.Bootstrap[i]
			if i > 0 {
				one.took = one.seen.At.Sub(p.Board.Bootstrap[i-1].At)
			}
		} else if name == current {
			one.status = p.getNextStatus()
			one.took = p.Now.Sub(p.Board.Bootstrap[len(p.Board.Bootstrap)-1].At)
		}
		phases = append(phases, one)
	}
	return phases
}

func matchPhase(name string) func(provisioner.PhaseView) bool {
	return func(p provisioner.PhaseView) bool { return p.Phase == name }
}

// findNext returns the first phase that was not reached, or "" before and after the bootstrap.
func (p Bootstrap) findNext() string {
	if len(p.Board.Bootstrap) == 0 {
		return ""
	}
	for _, name := range state.ListPhases() {
		if !slices.ContainsFunc(p.Board.Bootstrap, matchPhase(name)) {
			return name
		}
	}
	return ""
}

func (p Bootstrap) findCurrent() int {
	return max(slices.Index(state.ListPhases(), p.findNext()), 0)
}

// After the end of the run the next phase is not running any more.
func (p Bootstrap) getNextStatus() theme.Status {
	if p.Board.Run.State == provisioner.Finished {
		return theme.Warn
	}
	return theme.Running
}

func (p Bootstrap) renderRow(ph phase, width int) string {
	t, right := p.Theme, ""
	name := t.Plain.Render(ph.name)
	switch ph.status {
	case theme.Waiting:
		name = t.Dim.Render(ph.name)
	case theme.OK:
		if right = t.Dim.Render(text.FormatDuration(ph.took)); ph.took == 0 {
			right = ""
		}
	case theme.Warn:
		right = t.Caution.Render("not reached")
	default:
		name, right = t.Bold.Render(ph.name), t.Active.Render(text.FormatDuration(ph.took))
	}
	line := t.Mark(ph.status) + " " + name
	if width >= explainMinWidth {
		line = cells.Fit(line, 24+len(t.Marks[0])/4*3) + t.Dim.Render(phaseTexts[ph.name])
	}
	return cells.JoinEnds(line, right, width)
}

var phaseTexts = map[string]string{ //nolint:gochecknoglobals // a table that nothing changes
	state.PhaseMachine:       "bootstrap machine running",
	state.PhaseMachineConfig: "serving the masters' configuration",
	state.PhaseTemporaryAPI:  "temporary API available",
	state.PhaseManifests:     "first manifests applied",
	state.PhaseMastersBoot:   "first master requests a certificate",
	state.PhaseMasters:       "first master registered",
	state.PhaseEtcd:          "etcd has more than one member",
	state.PhaseControlPlane:  "two masters serve the API",
	state.PhaseBootstrapped:  "bootstrap pods complete",
	state.PhaseTeardown:      "temporary control plane removed",
	state.PhaseEtcdInCluster: "etcd complete on the masters",
	state.PhaseComplete:      "control plane complete",
	state.PhaseMemberRemoved: "bootstrap machine removable",
	state.PhaseNodes:         "first infra or worker ready",
	state.PhaseVersion:       "release applied",
	state.PhaseStable:        "all operators stable",
}

// RenderSummary returns the bootstrap in one line, e.g. "✓✓✓✓✓✓●○○○○○○○○○ 6/16 etcd-scaling 2m10s".
func (p Bootstrap) RenderSummary() string {
	t := p.Theme
	phases := p.listPhases()
	var strip strings.Builder
	reached := 0
	for _, ph := range phases {
		strip.WriteString(t.Style(ph.status).Render(t.MarkCell(ph.status)))
		if ph.status == theme.OK {
			reached++
		}
	}
	line := fmt.Sprintf("%s  %d/%d", strip.String(), reached, len(phases))
	switch next := p.findNext(); {
	case next != "":
		ph := phases[p.findCurrent()]
		return line + "  " + t.Dim.Render("next ") + next + " " + t.Style(ph.status).Render(text.FormatDuration(ph.took))
	case reached == 0:
		return line + "  " + t.Dim.Render("not started")
	}
	return line + "  " + t.Good.Render("complete")
}
