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

func (p Errand) lines(width int) []string {
	at := slices.IndexFunc(p.Board.Steps, p.asks)
	if at < 0 {
		return nil
	}
	return append([]string{p.Theme.Rule(width)}, Wrap(p.Board.Steps[at].Hint, " ", width)...)
}
