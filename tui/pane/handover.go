package pane

import (
	"strings"

	"exoshift/provisioner/handover"
)

// Handover shows the handover report to the future owners of the cluster.
type Handover struct {
	Theme  Theme
	Report handover.Report
	Offset int // lines scrolled
}

// View draws the part of the report that fits.
func (p Handover) View(width, height int) string {
	return Fill(scrollLines(p.Theme, p.renderLines(width), p.Offset, height), width, height)
}

// CountLines returns the number of lines of the whole report.
func (p Handover) CountLines(width int) int { return len(p.renderLines(width)) }

func (p Handover) renderLines(width int) []string {
	t := p.Theme
	lines := wrapAfter(t.Mark(OK), t.Bold, Sanitize(p.Report.Title), t.Indent(), width)
	if p.Report.Note != "" {
		lines = append(lines, wrapIn(t.Caution, Sanitize(p.Report.Note), t.Indent(), width)...)
	}
	for _, section := range p.Report.Sections() {
		lines = append(append(lines, ""), t.Label.Render(Truncate(section.Title, width)))
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
		return wrapIn(t.Bold, Sanitize(row.Text), "    ", width)
	case row.Name != "":
		return p.renderField(Sanitize(row.Name), Sanitize(row.Text), longest, width)
	}
	return Wrap(Sanitize(row.Text), "  ", width)
}

// The value is beside its name, or below it where a word of the value would be broken.
func (p Handover) renderField(name, text string, longest, width int) []string {
	t, margin := p.Theme, strings.Repeat(" ", longest+4)
	for word := range strings.FieldsSeq(text) {
		if countCells(word) > width-countCells(margin) {
			return append([]string{"  " + t.Dim.Render(name)}, Wrap(text, "    ", width)...)
		}
	}
	return wrapAfter("  "+t.Dim.Render(Fit(name, longest+1)), t.Plain, text, margin, width)
}
