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
	return Fill(window(p.Theme, p.lines(width), p.Offset, height), width, height)
}

// Lines returns how many lines there are to scroll through.
func (p Handover) Lines(width int) int { return len(p.lines(width)) }

func (p Handover) lines(width int) []string {
	t := p.Theme
	lines := wrapAfter(t.Mark(OK), t.Bold, Clean(p.Report.Title), t.Indent(), width)
	if p.Report.Note != "" {
		lines = append(lines, wrapIn(t.Caution, Clean(p.Report.Note), t.Indent(), width)...)
	}
	for _, section := range p.Report.Sections() {
		lines = append(append(lines, ""), t.Label.Render(Truncate(section.Title, width)))
		longest := section.Widest()
		for _, row := range section.Rows {
			lines = append(lines, p.row(row, longest, width)...)
		}
	}
	return lines
}

func (p Handover) row(row handover.Row, longest, width int) []string {
	t := p.Theme
	switch {
	case row.Command:
		return wrapIn(t.Bold, Clean(row.Text), "    ", width)
	case row.Name != "":
		return p.fact(Clean(row.Name), Clean(row.Text), longest, width)
	}
	return Wrap(Clean(row.Text), "  ", width)
}

// fact is a name with a value beside it, or below it where a word of the value would be broken.
func (p Handover) fact(name, text string, longest, width int) []string {
	t, margin := p.Theme, strings.Repeat(" ", longest+4)
	for word := range strings.FieldsSeq(text) {
		if cells(word) > width-cells(margin) {
			return append([]string{"  " + t.Dim.Render(name)}, Wrap(text, "    ", width)...)
		}
	}
	return wrapAfter("  "+t.Dim.Render(Fit(name, longest+1)), t.Plain, text, margin, width)
}
