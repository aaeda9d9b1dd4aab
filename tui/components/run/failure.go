package run

import (
	"fmt"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Failure explains why a run failed: the diagnosis, the failed step, the cause, what to do, what remains, and how to resume.
type Failure struct {
	Theme  theme.Theme
	Board  *provisioner.Board
	Now    time.Time
	Resume string // the command that resumes the run
	Offset int    // lines scrolled
}

// View draws the explanation.
func (p Failure) View(width, height int) string {
	return cells.Fill(components.ScrollLines(p.Theme, p.renderLines(width), p.Offset, height), width, height)
}

// CountLines returns the number of lines of the whole explanation.
func (p Failure) CountLines(width int) int { return len(p.renderLines(width)) }

func (p Failure) renderLines(width int) []string {
	failed := Status{Board: p.Board}.ListFailed()
	if len(failed) == 0 {
		return []string{p.Theme.Mark(theme.OK) + " " + "no failed step"}
	}
	lines := Diagnosis{Theme: p.Theme, Findings: p.Board.Findings, Now: p.Now}.renderBrief(width)
	if len(lines) > 0 && lines[len(lines)-1] != "" {
		lines = append(lines, "")
	}
	for _, step := range failed {
		lines = append(lines, p.renderStep(step.OmitFindings(p.Board.Findings), width)...)
	}
	return append(lines, p.renderNextSteps(width)...)
}

func (p Failure) renderStep(step provisioner.StepView, width int) []string {
	t := p.Theme
	origin := "step " + step.ID
	if step.Phase != "" {
		origin += " (" + step.Phase + ")"
	}
	origin += ", after " + text.FormatDuration(step.Ended.Sub(step.Began))
	if code := p.Board.Run.ExitCode; code != nil {
		origin += fmt.Sprintf(", exit code %d", *code)
	}
	lines := []string{t.Mark(theme.Failed) + " " + t.Bold.Render(step.Title), p.indent(t.Dim.Render(origin))}
	lines = append(lines, p.renderSection("What happened", step.Text, width)...)
	if step.Hint != "" {
		lines = append(lines, p.renderSection("What to do", step.Hint, width)...)
	}
	return lines
}

func (p Failure) renderSection(title, text string, width int) []string {
	return append([]string{p.indent(p.Theme.Label.Render(title))}, cells.Wrap(text, p.indent("  "), width)...)
}

func (p Failure) renderNextSteps(width int) []string {
	cloud := Cloud{Theme: p.Theme, Objects: p.Board.Objects, Installed: p.Board.Verb != ""}
	stays := "No rollback: " + cloud.FormatRemaining() + "."
	if n := p.countSkipped(); n > 0 {
		stays += " " + text.Plural(n, "step") + " not reached."
	}
	var lines []string
	if p.Resume != "" {
		lines = p.renderSection("Resume with", p.Resume, width)
	}
	return append(lines, p.renderSection("Kept", stays, width)...)
}

func (p Failure) indent(s string) string { return p.Theme.Indent() + s }

func (p Failure) countSkipped() int {
	n := 0
	for _, step := range p.Board.Steps {
		if step.Unreached {
			n++
		}
	}
	return n
}
