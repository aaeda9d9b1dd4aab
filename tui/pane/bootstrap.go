package pane

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// Bootstrap shows which phases of the cluster's own bootstrap were reached, what the services of the bootstrap machine
// are at, and on which ways the cluster can be reached. Phases overlap, so each stands for itself.
type Bootstrap struct {
	Theme Theme
	Board *provisioner.Board
	Now   time.Time
}

// twoColumns is the width from which what finds no room below the phases goes beside them.
const twoColumns = 70

// View draws the phases, one a line, and below or beside them services and ways.
func (p Bootstrap) View(width, height int) string {
	phases, inside := p.rows(width), p.inside(width)
	switch {
	case len(phases)+len(inside) <= height:
		phases = append(phases, p.comes(width, height-len(phases)-len(inside))...)
		return Fill(append(phases, inside...), width, height)
	case width >= twoColumns && len(inside) > 0:
		left := width * 45 / 100
		return beside(p.follow(p.rows(left), height), p.inside(width-left-3), left, width, height)
	}
	inside = inside[:min(len(inside), max(height/3, 0))]
	return Fill(append(p.follow(phases, height-len(inside)), inside...), width, height)
}

// comes explains the next phase where the rows do not, in at most room lines.
func (p Bootstrap) comes(width, room int) []string {
	next := p.next()
	if next == "" || width >= explained || room < 2 {
		return nil
	}
	lines := append([]string{""}, wrapIn(p.Theme.Dim, "next: "+explain(next), "", width)...)
	return lines[:min(len(lines), room)]
}

func (p Bootstrap) rows(width int) []string {
	var lines []string
	for _, phase := range p.phases() {
		lines = append(lines, p.row(phase, width))
	}
	return lines
}

// explained is the width from which every phase has its explanation beside it.
const explained = 60

// follow cuts height rows out of those of the phases so that the current one is among them, and counts the others.
func (p Bootstrap) follow(rows []string, height int) []string {
	if len(rows) <= height || height < 3 {
		return rows[:min(len(rows), max(height, 0))]
	}
	first := min(max(p.current()-height/2, 0), len(rows)-height)
	cut := slices.Clone(rows[first : first+height])
	if first > 0 {
		cut[0] = p.Theme.Mark(OK) + p.Theme.Dim.Render(fmt.Sprintf(" %d before", first+1))
	}
	if after := len(rows) - first - height; after > 0 {
		cut[height-1] = p.Theme.Mark(Waiting) + p.Theme.Dim.Render(fmt.Sprintf(" %d to come", after+1))
	}
	return cut
}

// inside tells what the services of the bootstrap machine are at, and which ways lead to the cluster.
func (p Bootstrap) inside(width int) []string {
	lines := Reach{p.Theme, p.Board}.lines(width)
	if !p.Board.Reached(state.PhaseMemberRemoved) {
		lines = append(Services{p.Theme, p.Board.Stages, p.Now}.lines(width), lines...)
	}
	return lines
}

// beside puts two columns next to each other.
func beside(left, right []string, leftWidth, width, height int) string {
	lines := make([]string, max(len(left), len(right)))
	for i := range lines {
		lines[i] = Fit(lineAt(left, i), leftWidth) + "   " + lineAt(right, i)
	}
	return Fill(lines, width, height)
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// phase is one phase with what is known about it.
type phase struct {
	name   string
	status Status
	seen   provisioner.PhaseView
	took   time.Duration // since the phase before
}

func (p Bootstrap) phases() []phase {
	var phases []phase
	current := p.next()
	for _, name := range state.Phases() {
		one := phase{name: name}
		if i := slices.IndexFunc(p.Board.Bootstrap, named(name)); i >= 0 {
			one.status, one.seen = OK, p.Board.Bootstrap[i]
			if i > 0 {
				one.took = one.seen.At.Sub(p.Board.Bootstrap[i-1].At)
			}
		} else if name == current {
			one.status = p.open()
			one.took = p.Now.Sub(p.Board.Bootstrap[len(p.Board.Bootstrap)-1].At)
		}
		phases = append(phases, one)
	}
	return phases
}

func named(name string) func(provisioner.PhaseView) bool {
	return func(p provisioner.PhaseView) bool { return p.Phase == name }
}

// next returns the first phase that was not reached, or "" before and after the bootstrap.
func (p Bootstrap) next() string {
	if len(p.Board.Bootstrap) == 0 {
		return ""
	}
	for _, name := range state.Phases() {
		if !slices.ContainsFunc(p.Board.Bootstrap, named(name)) {
			return name
		}
	}
	return ""
}

// current returns the index of the phase that deserves attention.
func (p Bootstrap) current() int {
	return max(slices.Index(state.Phases(), p.next()), 0)
}

// open is the status of the phase that comes next: nobody works on it once the run has ended.
func (p Bootstrap) open() Status {
	if p.Board.Run.State == provisioner.Finished {
		return Warn
	}
	return Running
}

func (p Bootstrap) row(ph phase, width int) string {
	t, right := p.Theme, ""
	name := t.Plain.Render(ph.name)
	switch ph.status {
	case Waiting:
		name = t.Dim.Render(ph.name)
	case OK:
		if right = t.Dim.Render(Short(ph.took)); ph.took == 0 {
			right = ""
		}
	case Warn:
		right = t.Caution.Render("not reached")
	default:
		name, right = t.Bold.Render(ph.name), t.Active.Render(Short(ph.took))
	}
	line := t.Mark(ph.status) + " " + name
	if width >= explained {
		line = Fit(line, 24+len(t.marks[0])/4*3) + t.Dim.Render(explain(ph.name))
	}
	return spread(line, right, width)
}

// explain says what it means that a phase was reached.
func explain(phase string) string {
	return map[string]string{
		state.PhaseMachine:       "the bootstrap machine runs",
		state.PhaseMachineConfig: "it serves what masters boot from",
		state.PhaseTemporaryAPI:  "the temporary API answers",
		state.PhaseManifests:     "first manifests are applied",
		state.PhaseMastersBoot:   "a first master asks to join",
		state.PhaseMasters:       "a first master has registered",
		state.PhaseEtcd:          "etcd grows beyond one member",
		state.PhaseControlPlane:  "two masters serve the API",
		state.PhaseBootstrapped:  "the bootstrap saw its pods",
		state.PhaseTeardown:      "temporary control plane goes",
		state.PhaseEtcdInCluster: "etcd is whole on the masters",
		state.PhaseComplete:      "the control plane is complete",
		state.PhaseMemberRemoved: "the bootstrap machine may go",
		state.PhaseNodes:         "a node beside masters is ready",
		state.PhaseVersion:       "the release is applied",
		state.PhaseStable:        "every operator has settled",
	}[phase]
}

// Summary returns the bootstrap in one line, e.g. "✓✓✓✓✓✓●○○○○○○○○○ 6/16 etcd-scaling 2m10s".
func (p Bootstrap) Summary() string {
	t := p.Theme
	phases := p.phases()
	var strip strings.Builder
	reached := 0
	for _, ph := range phases {
		strip.WriteString(t.Style(ph.status).Render(t.tick(ph.status)))
		if ph.status == OK {
			reached++
		}
	}
	line := fmt.Sprintf("%s  %d/%d", strip.String(), reached, len(phases))
	switch next := p.next(); {
	case next != "":
		ph := phases[p.current()]
		return line + "  " + t.Dim.Render("next ") + next + " " + t.Style(ph.status).Render(Short(ph.took))
	case reached == 0:
		return line + "  " + t.Dim.Render("not begun")
	}
	return line + "  " + t.Good.Render("complete")
}

// tick is a mark of one cell.
func (t Theme) tick(s Status) string {
	if t.ascii {
		return [...]string{".", "*", "+", "!", "X", "-"}[s]
	}
	return t.marks[s]
}
