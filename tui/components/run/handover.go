package run

import (
	"strings"

	"exoshift/provisioner/handover"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Handover shows the handover report to the future owners of the cluster.
type Handover struct {
	Theme  theme.Theme
	Report handover.Report
	Offset int // lines scrolled
}

// View draws the part of the report that fits.
func (p Handover) View(width, height int) string {
	return cells.Fill(components.ScrollLines(p.Theme, p.renderLines(width), p.Offset, height), width, height)
}

// CountLines returns the number of lines of the whole report.
func (p Handover) CountLines(width int) int { return len(p.renderLines(width)) }

func (p Handover) renderLines(width int) []string {
	t := p.Theme
	lines := cells.WrapAfter(t.Mark(theme.OK), t.Bold, cells.Sanitize(p.Report.Title), t.Indent(), width)
	if p.Report.Note != "" {
		lines = append(lines, cells.WrapStyled(t.Caution, cells.Sanitize(p.Report.Note), t.Indent(), width)...)
	}
	for _, section := range p.Report.Sections() {
		lines = append(append(lines, ""), t.Label.Render(cells.Truncate(section.Title, width)))
		longest := section.NameWidth()
		for _, row := range section.Rows {
			lines = append(lines, p.renderRow(row, longest, width)...)
		}
	}
	return lines
}

func (p Handover) renderRow(row handover.Row, longest, width int) []string {
	t := p.Theme
	switch {
	case row.Command:
		return cells.WrapStyled(t.Bold, cells.Sanitize(row.Text), "    ", width)
	case row.Name != "":
		return p.renderField(cells.Sanitize(row.Name), cells.Sanitize(row.Text), longest, width)
	}
	return cells.Wrap(cells.Sanitize(row.Text), "  ", width)
}

// The value is beside its name, or below it where a word of the value would be broken.
func (p Handover) renderField(name, text string, longest, width int) []string {
	t, margin := p.Theme, strings.Repeat(" ", longest+4)
	for word := range strings.FieldsSeq(text) {
		if cells.Count(word) > width-cells.Count(margin) {
			return append([]string{"  " + t.Dim.Render(name)}, cells.Wrap(text, "    ", width)...)
		}
	}
	return cells.WrapAfter("  "+t.Dim.Render(cells.Fit(name, longest+1)), t.Plain, text, margin, width)
}
