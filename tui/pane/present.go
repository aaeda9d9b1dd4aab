package pane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
)

// Present says what is going on right now: what failed, what the run waits for, since when and how long still, and
// what else it works on.
type Present struct {
	Theme    Theme
	Board    *provisioner.Board
	Now      time.Time
	Resume   string // the command that goes on with a run that ended early
	Stopping bool   // the operator asked for the end
	Ended    bool   // no further event will come
}

// View draws the most important lines that fit.
func (p Present) View(width, height int) string {
	return Fill(p.lines(width, height), width, height)
}

func (p Present) lines(width, height int) []string {
	switch {
	case p.Ended:
		return p.end(width, height)
	case p.Stopping:
		return p.stopping()
	case p.Board.Run.State == "" && len(p.active()) == 0:
		return []string{p.head(Waiting, "STARTING", "waiting for the first event")}
	}
	return p.ongoing(width, height)
}

// head is a line that begins with a symbol and a word.
func (p Present) head(status Status, word, text string) string {
	t := p.Theme
	return " " + t.Mark(status) + " " + t.Style(status).Bold(true).Render(word) + "  " + text
}

func (p Present) stopping() []string {
	return []string{
		p.head(Warn, "STOPPING", "as soon as the calls in flight have ended; nothing is deleted"),
		p.indent(p.Theme.Dim.Render("ctrl+c leaves at once")),
	}
}

func (p Present) indent(s string) string { return " " + p.Theme.Indent() + s }

// ongoing lists failures, then waits, then the other steps that run.
func (p Present) ongoing(width, height int) []string {
	var lines []string
	for _, failed := range p.Failed() {
		lines = append(lines, p.head(Failed, "FAILED", failed.Title+": "+failed.Text))
		if len(lines) == max(height-2, 1) {
			break
		}
	}
	if p.gathering() {
		return append(lines, p.head(Running, "GATHERING", "what may explain the failure, for a minute at most"))
	}
	rest := p.active()
	for i, step := range rest {
		room := height - len(lines)
		if i > 0 && (len(rest)-i > 1 && room <= 2 || room < 2) {
			return append(lines, p.others(rest[i:], room)...)
		}
		lines = append(lines, p.about(step, width)...)
	}
	return lines
}

// gathering tells whether the run is over but for keeping what may explain its failure, which takes a while.
func (p Present) gathering() bool {
	if len(p.Board.Log) == 0 {
		return false
	}
	last := p.Board.Log[len(p.Board.Log)-1]
	return last.Type == provisioner.TypeGathered && last.State == provisioner.Started
}

// others names steps that find no room of their own in one line.
func (p Present) others(steps []provisioner.StepView, room int) []string {
	if room <= 0 || len(steps) == 0 {
		return nil
	}
	var names []string
	for _, step := range steps {
		names = append(names, step.Title+" "+p.Theme.Dim.Render(Short(p.Now.Sub(step.Began))))
	}
	if len(steps) == 1 {
		return []string{p.indent(p.Theme.Dim.Render("also: ") + names[0])}
	}
	return []string{p.indent(p.Theme.Dim.Render(fmt.Sprintf("and %d more: ", len(steps))) + p.Theme.join(names...))}
}

// Failed returns the steps that failed, in plan order.
func (p Present) Failed() []provisioner.StepView {
	var failed []provisioner.StepView
	for _, step := range p.Board.Steps {
		if StepStatus(step) == Failed {
			failed = append(failed, step)
		}
	}
	return failed
}

// active returns the steps that run: those that wait first, the overdue ones before the others.
func (p Present) active() []provisioner.StepView {
	var steps []provisioner.StepView
	for _, step := range p.Board.Steps {
		if StepStatus(step) == Running {
			steps = append(steps, step)
		}
	}
	slices.SortStableFunc(steps, func(a, b provisioner.StepView) int { return cmp.Compare(p.rank(a), p.rank(b)) })
	return steps
}

func (p Present) rank(step provisioner.StepView) int {
	switch {
	case step.Wait != nil && p.overdue(*step.Wait):
		return 0
	case step.Wait != nil:
		return 1
	}
	return 2
}

// overdue tells whether a wait takes more than twice as long as usual.
func (p Present) overdue(wait provisioner.Event) bool {
	return wait.Usual > 0 && p.waited(wait) > 2*seconds(wait.Usual)
}

func (p Present) waited(wait provisioner.Event) time.Duration {
	if wait.Since == nil {
		return p.Now.Sub(wait.Time)
	}
	return p.Now.Sub(*wait.Since)
}

// about describes one running step in one or two lines.
func (p Present) about(step provisioner.StepView, width int) []string {
	t := p.Theme
	if step.Wait == nil {
		line := p.head(Running, "RUNNING", t.Bold.Render(step.Title)+"  "+t.Active.Render(Short(p.Now.Sub(step.Began))))
		if step.Text != "" && step.Text != step.Title {
			line += t.Dim.Render("  " + step.Text)
		}
		return []string{line}
	}
	wait := *step.Wait
	status := Running
	if p.overdue(wait) {
		status = Warn
	}
	word, what := waitingFor(cmp.Or(wait.What, step.Title))
	line := p.head(status, word, t.Bold.Render(what)+"  ")
	line += p.measures(wait, status, width-cells(line))
	if wait.Last == "" {
		return []string{line}
	}
	return []string{line, p.lastSeen(step, width)}
}

// lastSeen says what was seen last, and for how long it has been the same.
func (p Present) lastSeen(step provisioner.StepView, width int) string {
	age := ""
	if same := p.Now.Sub(step.Seen); !step.Seen.IsZero() && same >= time.Second {
		age = p.Theme.Dim.Render(" (for " + Short(same) + ")")
	}
	line := p.indent(p.Theme.Dim.Render("last seen: ") + step.Wait.Last)
	if width < 80 && cells(line)+cells(age) > width {
		return line
	}
	return Truncate(line, width-cells(age)) + age
}

// waitingFor turns the title of a step, "Wait for X", into what is waited for.
func waitingFor(title string) (word, what string) {
	if what, found := strings.CutPrefix(title, "Wait for "); found {
		return "WAITING FOR", what
	}
	if what, found := strings.CutPrefix(title, "Wait until "); found {
		return "WAITING UNTIL", what
	}
	return "WAITING ON", title
}

// measures says since when, how long usually, and how long at most, as far as there is room.
func (p Present) measures(wait provisioner.Event, status Status, room int) string {
	t := p.Theme
	waited := t.Style(status).Render(Short(p.waited(wait)))
	slow, usual, limit := "", "", ""
	if status == Warn {
		slow = t.Caution.Render("slower than usual")
	}
	if wait.Usual > 0 {
		usual = t.Dim.Render("usually ") + Short(seconds(wait.Usual))
	}
	if wait.Limit > 0 {
		limit = t.Dim.Render("limit ") + Short(seconds(wait.Limit))
	}
	for _, parts := range [][]string{{waited, slow, usual, limit}, {waited, usual, limit}, {waited, limit}} {
		if line := t.join(parts...); cells(line) <= room {
			return line
		}
	}
	return waited
}

// end says how the run ended and what to do next.
func (p Present) end(width, height int) []string {
	run, took := p.Board.Run, Short(p.Board.Now.Sub(p.Board.Began))
	switch {
	case run.Result == "ok":
		return []string{
			p.head(OK, "DONE", p.Theme.join("every step succeeded", "took "+took)),
			p.indent(run.Text),
			p.indent(p.Theme.Dim.Render("q leaves; a summary stays in your terminal")),
		}
	case len(p.Failed()) > 0:
		return p.failure(p.Failed()[0], height)
	}
	word := "STOPPED"
	if run.State != provisioner.Finished {
		word = "CUT OFF"
	}
	return []string{
		p.head(Warn, word, cmp.Or(run.Text, "everything stays; the same command goes on from here")),
		p.indent(Truncate(because(p.Resume, "resume with: ", ""), width)),
	}
}

// failure names a failed step, the cause and the next thing to do.
func (p Present) failure(failed provisioner.StepView, height int) []string {
	title := p.Theme.Bold.Render(failed.Title)
	advice := p.indent(p.Theme.join(p.advice(failed), p.Theme.Dim.Render("d tells more")))
	if height < 3 {
		return []string{p.head(Failed, "FAILED", title+": "+failed.Text), advice}
	}
	return []string{p.head(Failed, "FAILED", title), p.indent(failed.Text), advice}
}

func (p Present) advice(failed provisioner.StepView) string {
	if failed.Hint == "" {
		return ""
	}
	return p.Theme.Arrow + " " + failed.Hint
}
