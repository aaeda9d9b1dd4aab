package run

import (
	"slices"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Action shows what the operator has to do: the instructions of a step that waits for that, or the approval of certificates. The
// lines of instructions are kept whole, to be read and copied.
type Action struct {
	Theme     theme.Theme
	Board     *provisioner.Board
	Now       time.Time
	Undecided []string // nodes that wait for the approval of one more key
	Question  string   // about a finding; "" for none
	Failed    bool     // also the instructions of a failed step, if longer than a sentence
}

// View draws the instructions between two rules.
func (p Action) View(width, height int) string {
	return cells.Fill(p.renderLines(width), width, height)
}

// Height returns the number of lines; 0 without a pending action.
func (p Action) Height(width int) int { return len(p.renderLines(width)) }

// IsPending reports whether a run that goes on waits for the operator, and for what: the same text means the same action.
func (p Action) IsPending() (what string, pending bool) {
	if step, found := p.findStep(); found && mapStepStatus(step) == theme.Running {
		return describeAction(step.Hint), true
	}
	if p.Question != "" {
		return p.Question, true
	}
	if len(p.Undecided) > 0 {
		return "approve one more key of " + text.Join(", ", p.Undecided...), true
	}
	return "", false
}

// describeAction returns the first sentence of instructions, without the page or the records that follow it.
func describeAction(hint string) string {
	sentence, _, _ := strings.Cut(hint, "\n")
	sentence, _, _ = strings.Cut(sentence, "https://")
	return strings.TrimRight(sentence, ": ")
}

func (p Action) hasAction(step provisioner.StepView) bool {
	switch mapStepStatus(step) {
	case theme.Running:
		return step.Hint != ""
	case theme.Failed:
		return p.Failed && strings.Contains(step.Hint, "\n")
	}
	return false
}

func (p Action) findStep() (provisioner.StepView, bool) {
	at := slices.IndexFunc(p.Board.Steps, p.hasAction)
	if at < 0 {
		return provisioner.StepView{}, false
	}
	return p.Board.Steps[at], true
}

// Text returns what the operator has to copy, or "": the page to be opened, or the lines below the first.
func (p Action) Text() string {
	step, _ := p.findStep()
	if link := findLink(step.Hint); link != "" {
		return link
	}
	_, lines, _ := strings.Cut(step.Hint, "\n")
	return lines
}

// findLink returns the first web address of a text, or "".
func findLink(text string) string {
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, "https://") {
			return word
		}
	}
	return ""
}

func (p Action) renderLines(width int) []string {
	what, pending := p.IsPending()
	step, found := p.findStep()
	if !pending && !found {
		return nil
	}
	lines := []string{p.Theme.RenderRule(width)}
	switch {
	case !found && p.Question != "":
		return append(append(append(lines, p.renderHeading()), cells.Wrap(what, " ", width)...), " "+p.Theme.Dim.Render("a shows the evidence, and decides"))
	case !found:
		return append(lines, cells.Truncate(p.renderHeading()+"  "+p.Theme.Bold.Render(what), width), " "+p.Theme.Dim.Render("a shows what that means, and approves"))
	case pending:
		lines = append(lines, p.renderSince(step, width))
	}
	lines = append(lines, cells.Wrap(step.Hint, " ", width)...)
	switch {
	case findLink(step.Hint) != "":
		lines = append(lines, " "+p.Theme.Dim.Render("c copies the full URL"))
	case p.Text() != "":
		lines = append(lines, " "+p.Theme.Dim.Render("c copies these lines"))
	}
	return lines
}

func (p Action) renderHeading() string {
	t := p.Theme
	return " " + t.Mark(theme.Warn) + " " + t.Style(theme.Warn).Bold(true).Render("ACTION NEEDED")
}

// renderSince says since when, and until when if the wait has a limit, as far as there is room.
func (p Action) renderSince(step provisioner.StepView, width int) string {
	t, since, until := p.Theme, "", ""
	if !step.Asked.IsZero() {
		since = t.Dim.Render("  since " + step.Asked.Format("15:04") + " (" + text.FormatDuration(p.Now.Sub(step.Asked)) + ")")
	}
	if wait := step.Wait; wait != nil && wait.Limit > 0 {
		began := wait.Time
		if wait.Since != nil {
			began = *wait.Since
		}
		until = t.Dim.Render("  until " + began.Add(toDuration(wait.Limit)).Format("15:04"))
	}
	line := p.renderHeading()
	for _, times := range []string{since + until, until, since} {
		if cells.Count(line+times) <= width {
			return line + times
		}
	}
	return cells.Truncate(line, width)
}
