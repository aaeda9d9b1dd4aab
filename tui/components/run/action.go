package run

import (
	"slices"
	"strings"

	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Action shows the instructions of a step that waits for the operator. Their lines are kept whole, to be read and copied.
type Action struct {
	Theme  theme.Theme
	Board  *provisioner.Board
	Failed bool // also the instructions of a failed step, if longer than a sentence
}

// View draws the instructions between two rules.
func (p Action) View(width, height int) string {
	return cells.Fill(p.renderLines(width), width, height)
}

// Height returns the number of lines; 0 without a pending action.
func (p Action) Height(width int) int { return len(p.renderLines(width)) }

func (p Action) hasAction(step provisioner.StepView) bool {
	switch mapStepStatus(step) {
	case theme.Running:
		return step.Hint != ""
	case theme.Failed:
		return p.Failed && strings.Contains(step.Hint, "\n")
	}
	return false
}

func (p Action) findHint() string {
	at := slices.IndexFunc(p.Board.Steps, p.hasAction)
	if at < 0 {
		return ""
	}
	return p.Board.Steps[at].Hint
}

// Link returns the page that the operator has to open, or "".
func (p Action) Link() string { return findLink(p.findHint()) }

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
	hint := p.findHint()
	if hint == "" {
		return nil
	}
	lines := append([]string{p.Theme.RenderRule(width)}, cells.Wrap(hint, " ", width)...)
	if link := findLink(hint); cells.Count(link) > width-1 { // over several lines, which a mouse cannot select as one
		lines = append(lines, " "+p.Theme.Dim.Render("c copies the full URL"))
	}
	return lines
}
