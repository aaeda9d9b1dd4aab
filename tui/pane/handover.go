package pane

import (
	"strings"

	"exoshift/provisioner/handover"
)

// Handover shows what those who get the cluster need to know.
type Handover struct {
	Theme  Theme
	Report handover.Report
	Offset int // lines scrolled
}

// View draws the part of the report that fits.
func (p Handover) View(width, height int) string {
	return Fill(scrollLines(p.Theme, p.renderLines(width), p.Offset, height), width, height)
}

// CountLines returns how many lines there are to scroll through.
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

// renderField is a name with a value beside it, or below it where a word of the value would be broken.
func (p Handover) renderField(name, text string, longest, width int) []string {
	t, margin := p.Theme, strings.Repeat(" ", longest+4)
	for word := range strings.FieldsSeq(text) {
		if countCells(word) > width-countCells(margin) {
			return append([]string{"  " + t.Dim.Render(name)}, Wrap(text, "    ", width)...)
		}
	}
	return wrapAfter("  "+t.Dim.Render(Fit(name, longest+1)), t.Plain, text, margin, width)
}
