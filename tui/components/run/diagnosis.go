package run

import (
	"fmt"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Diagnosis shows the most certain finding with its fix and its evidence, and then the others. It is empty without findings.
type Diagnosis struct {
	Theme    theme.Theme
	Findings []provisioner.Event
	Now      time.Time
	Offset   int // lines scrolled
}

// View draws all findings.
func (p Diagnosis) View(width, height int) string {
	return cells.Fill(components.ScrollLines(p.Theme, p.renderLines(width), p.Offset, height), width, height)
}

// CountLines returns the number of lines of all findings.
func (p Diagnosis) CountLines(width int) int { return len(p.renderLines(width)) }

func (p Diagnosis) renderLines(width int) []string {
	if len(p.Findings) == 0 {
		return []string{p.Theme.Mark(theme.OK) + " no problems found", p.Theme.Dim.Render("  every snapshot of the cluster is checked; findings appear here")}
	}
	return p.renderFindings(width)
}

// The most certain finding comes first.
func (p Diagnosis) renderFindings(width int) []string {
	var lines []string
	for i, finding := range provisioner.SortFindings(p.Findings) {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, p.renderFinding(finding, i > 0, width)...)
	}
	return lines
}

// renderBrief explains the most certain finding and only names the others.
func (p Diagnosis) renderBrief(width int) []string {
	var lines []string
	for i, finding := range provisioner.SortFindings(p.Findings) {
		if i == 0 {
			lines = append(p.renderFinding(finding, false, width), "")
			continue
		}
		lines = append(lines, cells.WrapAfter(p.renderHeading(finding, true)+" ", p.Theme.Plain, finding.Text, p.Theme.Indent(), width)...)
	}
	return lines
}

func (p Diagnosis) renderFinding(f provisioner.Event, also bool, width int) []string {
	t := p.Theme
	lines := cells.WrapAfter(p.renderHeading(f, also)+" ", t.Bold, f.Text, t.Indent(), width)
	lines = append(lines, "  "+t.Dim.Render("for "+text.FormatDuration(p.Now.Sub(f.StartTime()))+", exoshift explain "+f.Name))
	if f.Hint != "" {
		lines = append(lines, " "+t.Label.Render("Fix"))
		lines = append(lines, cells.Wrap(f.Hint, "   ", width)...)
	}
	if len(f.Evidence) > 0 {
		lines = append(lines, " "+t.Label.Render("Evidence"))
	}
	for _, evidence := range f.Evidence {
		lines = append(lines, cells.Wrap(evidence, "   ", width)...)
	}
	return lines
}

func (p Diagnosis) renderHeading(f provisioner.Event, also bool) string {
	word, style := "MOST LIKELY", p.Theme.Style(mapConfidence(f))
	switch {
	case also && mapConfidence(f) == theme.Failed:
		word = "ALSO LIKELY"
	case also, mapConfidence(f) == theme.Running:
		word = "POSSIBLE"
	}
	return p.Theme.Mark(mapConfidence(f)) + " " + style.Bold(true).Render(word+text.WithAffixes(f.Confidence, " (", ")"))
}

func mapConfidence(f provisioner.Event) theme.Status {
	switch f.Confidence {
	case "high":
		return theme.Failed
	case "medium":
		return theme.Warn
	}
	return theme.Running
}

// RenderSummary returns the most certain finding in one line, or "".
func (p Diagnosis) RenderSummary() string {
	if len(p.Findings) == 0 {
		return ""
	}
	surest := provisioner.SortFindings(p.Findings)[0]
	return p.renderHeading(surest, false) + "  " + surest.Text + p.renderOthers()
}

func (p Diagnosis) renderOthers() string {
	if n := len(p.Findings) - 1; n > 0 {
		return p.Theme.Dim.Render(fmt.Sprintf("  and %d more", n))
	}
	return ""
}

// Notice is the most certain finding in a few lines below a rule.
type Notice struct{ Diagnosis }

// noticeMaxEvidence is in sentences.
const noticeMaxEvidence = 3

// Height returns the number of lines of the whole notice; 0 without findings.
func (p Notice) Height(width int) int { return len(p.renderLines(width, 100)) }

// View draws as much as fits: the cause, then the fix, then the evidence. What is cut is behind a key.
func (p Notice) View(width, height int) string {
	return cells.Fill(p.renderLines(width, height), width, height)
}

func (p Notice) renderLines(width, height int) []string {
	if len(p.Findings) == 0 {
		return nil
	}
	t, surest := p.Theme, provisioner.SortFindings(p.Findings)[0]
	lines := []string{t.RenderRule(width)}
	lines = append(lines, p.renderCause(surest, width, height)...)
	lines = append(lines, p.renderHint(surest, width)...)
	for _, evidence := range surest.Evidence[:min(len(surest.Evidence), noticeMaxEvidence)] {
		lines = append(lines, cells.WrapStyled(t.Dim, evidence, " "+t.Indent(), width)...)
	}
	const more = "d shows all"
	switch {
	case len(lines) > height && height > 0:
		lines = lines[:height]
		lines[height-1] = cells.JoinEnds(lines[height-1], t.Dim.Render(more), width)
	case len(p.Findings) > 1 || len(surest.Evidence) > noticeMaxEvidence:
		lines = append(lines, t.Dim.Render(" "+t.Indent()+more))
	}
	return lines
}

func (p Notice) renderCause(f provisioner.Event, width, height int) []string {
	lines := cells.WrapAfter(" "+p.renderHeading(f, false)+" ", p.Theme.Bold, f.Text, " "+p.Theme.Indent(), width)
	age := p.Theme.Dim.Render("  for " + text.FormatDuration(p.Now.Sub(f.StartTime())))
	if height >= 5 {
		lines[len(lines)-1] += age
		return lines
	}
	return lines[:1]
}

func (p Notice) renderHint(f provisioner.Event, width int) []string {
	if f.Hint == "" {
		return nil
	}
	indent := " " + p.Theme.Indent() + strings.Repeat(" ", cells.Count(p.Theme.Arrow)+1)
	lines := cells.Wrap(f.Hint, indent, width)
	lines[0] = " " + p.Theme.Indent() + p.Theme.Good.Render(p.Theme.Arrow) + " " + strings.TrimPrefix(lines[0], indent)
	return lines
}
