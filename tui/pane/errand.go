package pane

import (
	"slices"
	"strings"

	"exoshift/provisioner"
)

// Errand is what a step waits for somebody to do: instructions whose lines are shown whole, to be read and copied.
type Errand struct {
	Theme  Theme
	Board  *provisioner.Board
	Failed bool // also what a failed step asked for, where that is more than a sentence
}

// View draws the instructions between two rules.
func (p Errand) View(width, height int) string { return Fill(p.lines(width), width, height) }

// Height returns how many lines there are; 0 if nothing waits for anybody.
func (p Errand) Height(width int) int { return len(p.lines(width)) }

func (p Errand) asks(step provisioner.StepView) bool {
	switch StepStatus(step) {
	case Running:
		return step.Hint != ""
	case Failed:
		return p.Failed && strings.Contains(step.Hint, "\n")
	}
	return false
}

// hint is what there is to do, or "".
func (p Errand) hint() string {
	at := slices.IndexFunc(p.Board.Steps, p.asks)
	if at < 0 {
		return ""
	}
	return p.Board.Steps[at].Hint
}

// Link is the page that somebody has to open, or "".
func (p Errand) Link() string { return FirstLink(p.hint()) }

// FirstLink returns the first web address of a text, or "".
func FirstLink(text string) string {
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, "https://") {
			return word
		}
	}
	return ""
}

func (p Errand) lines(width int) []string {
	hint := p.hint()
	if hint == "" {
		return nil
	}
	lines := append([]string{p.Theme.Rule(width)}, Wrap(hint, " ", width)...)
	if link := FirstLink(hint); cells(link) > width-1 { // over several lines, which a mouse cannot select as one
		lines = append(lines, " "+p.Theme.Dim.Render("c copies the address as a whole"))
	}
	return lines
}
