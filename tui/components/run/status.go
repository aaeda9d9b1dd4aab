// Package run draws the progress of a run: its steps, its events, what failed and why, and what a person has to do.
package run

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/stable"
	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Status shows what is going on: the failures, the current wait with its elapsed and remaining time, and the other running
// steps.
type Status struct {
	Theme    theme.Theme
	Board    *provisioner.Board
	Now      time.Time
	Resume   string // the command that resumes a run that ended early
	Stopping bool   // the operator requested the stop
	Ended    bool   // no further event will come
}

// View draws the most important lines that fit.
func (p Status) View(width, height int) string {
	return cells.Fill(p.renderLines(width, height), width, height)
}

func (p Status) renderLines(width, height int) []string {
	switch {
	case p.Ended:
		return p.renderEnd(width, height)
	case p.Stopping:
		return p.renderStopping()
	case p.Board.Run.State == "" && len(p.listRunning()) == 0:
		return []string{p.renderHeading(theme.Waiting, "STARTING", "waiting for the first event")}
	}
	return p.renderRunning(width, height)
}

func (p Status) renderHeading(status theme.Status, word, text string) string {
	t := p.Theme
	return " " + t.Mark(status) + " " + t.Style(status).Bold(true).Render(word) + "  " + text
}

func (p Status) renderStopping() []string {
	return []string{
		p.renderHeading(theme.Warn, "STOPPING", "after the calls in flight end; nothing is deleted"),
		p.indent(p.Theme.Dim.Render("ctrl+c leaves at once")),
	}
}

func (p Status) indent(s string) string { return " " + p.Theme.Indent() + s }

// renderRunning lists failures, then waits, then the other steps that run.
func (p Status) renderRunning(width, height int) []string {
	var lines []string
	for _, failed := range p.ListFailed() {
		lines = append(lines, p.renderHeading(theme.Failed, "FAILED", failed.Title+": "+failed.Text))
		if len(lines) == max(height-2, 1) {
			break
		}
	}
	if away := p.Board.Outage; away != nil && len(lines) < max(height-2, 1) {
		lines = append(lines, p.renderHeading(theme.Warn, "AWAY", away.Text))
	}
	if p.isGathering() {
		return append(lines, p.renderHeading(theme.Running, "GATHERING", "diagnostic data, one minute at most"))
	}
	rest := p.listRunning()
	for i, step := range rest {
		room := height - len(lines)
		if i > 0 && (len(rest)-i > 1 && room <= 2 || room < 2) {
			return append(lines, p.renderOthers(rest[i:], room)...)
		}
		lines = append(lines, p.renderStep(step, width)...)
	}
	return lines
}

// isGathering reports whether only the collection of diagnostics after a failure still runs, which takes a while.
func (p Status) isGathering() bool {
	if len(p.Board.Log) == 0 {
		return false
	}
	last := p.Board.Log[len(p.Board.Log)-1]
	return last.Type == provisioner.TypeGathered && last.State == provisioner.Started
}

func (p Status) renderOthers(steps []provisioner.StepView, room int) []string {
	if room <= 0 || len(steps) == 0 {
		return nil
	}
	var names []string
	for _, step := range steps {
		names = append(names, step.Title+" "+p.Theme.Dim.Render(text.FormatDuration(p.Now.Sub(step.Began))))
	}
	if len(steps) == 1 {
		return []string{p.indent(p.Theme.Dim.Render("also: ") + names[0])}
	}
	return []string{p.indent(p.Theme.Dim.Render(fmt.Sprintf("and %d more: ", len(steps))) + p.Theme.Join(names...))}
}

// ListFailed returns the steps that failed, in plan order.
func (p Status) ListFailed() []provisioner.StepView {
	var failed []provisioner.StepView
	for _, step := range p.Board.Steps {
		if mapStepStatus(step) == theme.Failed {
			failed = append(failed, step)
		}
	}
	return failed
}

// listRunning returns the steps that run: those that wait first, the one on the critical path before the others.
func (p Status) listRunning() []provisioner.StepView {
	var steps []provisioner.StepView
	for _, step := range p.Board.Steps {
		if mapStepStatus(step) == theme.Running {
			steps = append(steps, step)
		}
	}
	rest := p.Board.RemainingTimes(p.Now)
	stable.Sort(steps, func(a, b provisioner.StepView) int {
		return cmp.Or(cmp.Compare(p.rank(a), p.rank(b)), cmp.Compare(rest[b.ID], rest[a.ID]))
	})
	return steps
}

func (p Status) rank(step provisioner.StepView) int {
	if step.Wait != nil {
		return 0
	}
	return 1
}

// isOverdue reports whether a wait takes more than twice as long as usual.
func (p Status) isOverdue(wait provisioner.Event) bool {
	return wait.Usual > 0 && p.computeWait(wait) > 2*toDuration(wait.Usual)
}

func (p Status) computeWait(wait provisioner.Event) time.Duration {
	if wait.Since == nil {
		return p.Now.Sub(wait.Time)
	}
	return p.Now.Sub(*wait.Since)
}

func (p Status) renderStep(step provisioner.StepView, width int) []string {
	t := p.Theme
	if step.Wait == nil {
		line := p.renderHeading(theme.Running, "RUNNING", t.Bold.Render(step.Title)+"  "+t.Active.Render(text.FormatDuration(p.Now.Sub(step.Began))))
		if step.Text != "" && step.Text != step.Title {
			line += t.Dim.Render("  " + step.Text)
		}
		return []string{line}
	}
	wait := *step.Wait
	status := theme.Running
	if p.isOverdue(wait) {
		status = theme.Warn
	}
	word, what := parseWaitTitle(cmp.Or(wait.What, step.Title))
	line := p.renderHeading(status, word, t.Bold.Render(what)+"  ")
	line += p.renderTimes(wait, status, width-cells.Count(line))
	if wait.Last == "" {
		return []string{line}
	}
	return []string{line, p.formatLastSeen(step, width)}
}

// formatLastSeen includes how long the observation has not changed.
func (p Status) formatLastSeen(step provisioner.StepView, width int) string {
	age := ""
	if same := p.Now.Sub(step.Seen); !step.Seen.IsZero() && same >= time.Second {
		age = p.Theme.Dim.Render(" (for " + text.FormatDuration(same) + ")")
	}
	line := p.indent(p.Theme.Dim.Render("last seen: ") + step.Wait.Last)
	if width < 80 && cells.Count(line)+cells.Count(age) > width {
		return line
	}
	return cells.Truncate(line, width-cells.Count(age)) + age
}

// parseWaitTitle splits the title of a step, "Wait for X". Other steps that wait, "Verify X", are what runs.
func parseWaitTitle(title string) (word, what string) {
	if what, found := strings.CutPrefix(title, "Wait for "); found {
		return "WAITING FOR", what
	}
	if what, found := strings.CutPrefix(title, "Wait until "); found {
		return "WAITING UNTIL", what
	}
	return "RUNNING", title
}

// renderTimes returns elapsed, usual and maximum time, as far as they fit.
func (p Status) renderTimes(wait provisioner.Event, status theme.Status, room int) string {
	t := p.Theme
	waited := t.Style(status).Render(text.FormatDuration(p.computeWait(wait)))
	slow, usual, limit := "", "", ""
	if status == theme.Warn {
		slow = t.Caution.Render("slower than usual")
	}
	if wait.Usual > 0 {
		usual = t.Dim.Render("usually ") + text.FormatDuration(toDuration(wait.Usual))
	}
	if wait.Limit > 0 {
		limit = t.Dim.Render("limit ") + text.FormatDuration(toDuration(wait.Limit))
	}
	for _, parts := range [][]string{{waited, slow, usual, limit}, {waited, usual, limit}, {waited, limit}} {
		if line := t.Join(parts...); cells.Count(line) <= room {
			return line
		}
	}
	return waited
}

func (p Status) renderEnd(width, height int) []string {
	run, took := p.Board.Run, text.FormatDuration(p.Board.Now.Sub(p.Board.Began))
	switch {
	case run.Result == "ok":
		return []string{
			p.renderHeading(theme.OK, "DONE", p.Theme.Join("all steps succeeded", "took "+took)),
			p.indent(run.Text),
			p.indent(p.Theme.Dim.Render("q quits; a summary stays in your terminal")),
		}
	case len(p.ListFailed()) > 0:
		return p.renderFailure(p.ListFailed()[0], width, height)
	}
	word := "STOPPED"
	if run.State != provisioner.Finished {
		word = "INTERRUPTED"
	}
	return []string{
		p.renderHeading(theme.Warn, word, cmp.Or(run.Text, "all resources are kept; the same command resumes")),
		p.indent(cells.Truncate(text.WithAffixes(p.Resume, "resume with: ", ""), width)),
	}
}

func (p Status) renderFailure(failed provisioner.StepView, width, height int) []string {
	title := p.Theme.Bold.Render(failed.Title)
	advice := cells.JoinEnds(p.indent(p.renderHint(failed)), p.Theme.Dim.Render("d details"), width)
	if height < 3 {
		return []string{p.renderHeading(theme.Failed, "FAILED", title+": "+failed.Text), advice}
	}
	return []string{p.renderHeading(theme.Failed, "FAILED", title), p.indent(failed.Text), advice}
}

func (p Status) renderHint(failed provisioner.StepView) string {
	if failed.Hint == "" {
		return ""
	}
	return p.Theme.Arrow + " " + failed.Hint
}

func toDuration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
