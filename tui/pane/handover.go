package pane

import (
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
	lines := wrapAfter(t.Mark(OK)+" ", t.Bold, Clean(p.Report.Title), t.Indent(), width)
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
		name := "  " + t.Dim.Render(Fit(Clean(row.Name), longest)) + "  "
		return wrapAfter(name[:len(name)-1], t.Plain, Clean(row.Text), Fit("", longest+4), width)
	}
	return Wrap(Clean(row.Text), "  ", width)
}
