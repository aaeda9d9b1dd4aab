package components

import (
	"cmp"
	"fmt"
	"strings"

	"exoshift/tui/cells"
)

// View draws the record that is open, or the rows around the cursor below the title of the list.
func (l *List) View(width, height int) string {
	records, at := l.find()
	if l.open && at >= 0 {
		return l.renderRecord(records[at], width, height)
	}
	l.open = false
	lines := []string{l.renderHeading(len(records), at, width)}
	if l.typing || l.filter.Word() != "" {
		lines = append(lines, l.Theme.Label.Render("/")+l.renderFilter(width-1))
	}
	l.height = max(height-len(lines), 0)
	switch {
	case len(records) > 0:
		lines = append(lines, l.renderRows(records, at, width, l.height)...)
	case l.filter.Word() != "":
		lines = append(lines, l.Theme.Dim.Render("no match"))
	default:
		lines = append(lines, l.Theme.Dim.Render(cmp.Or(l.Empty, "nothing yet")))
	}
	return cells.Fill(lines, width, height)
}

func (l *List) renderFilter(width int) string {
	if l.typing {
		return l.filter.Render(l.Theme, width)
	}
	return l.filter.Word()
}

func (l *List) renderHeading(count, at, width int) string {
	place := fmt.Sprintf("%d of %d", at+1, count)
	if l.Follow {
		place += ", following"
	}
	if l.note != "" {
		place = l.note + " · " + place
	}
	return cells.JoinEnds(l.Theme.Label.Render(l.Title), l.Theme.Dim.Render(place), width)
}

// renderRows draws the rows around the cursor. Rows have more than one line only where they are wrapped.
func (l *List) renderRows(records []Record, at, width, height int) []string {
	if height <= 0 {
		return nil
	}
	name := l.computeNameWidth(records, width)
	var lines []string
	add := func(i int, above bool) bool {
		row := l.renderRow(records[i], i == at, name, width)
		if len(lines)+len(row) > height && len(lines) > 0 {
			return false
		}
		for n := range row {
			row[n] = MarkTarget(l.Theme, rowTarget+records[i].ID, row[n])
		}
		if above {
			lines = append(row, lines...)
		} else {
			lines = append(lines, row...)
		}
		return true
	}
	add(at, false)
	up, down := at-1, at+1
	for moreUp, moreDown := up >= 0, down < len(records); moreUp || moreDown; {
		if moreUp {
			moreUp = add(up, true)
			up--
			moreUp = moreUp && up >= 0
		}
		if moreDown {
			moreDown = add(down, false)
			down++
			moreDown = moreDown && down < len(records)
		}
	}
	return lines
}

func (l *List) computeNameWidth(records []Record, width int) int {
	widest := 0
	for _, record := range records {
		widest = max(widest, cells.Count(record.Name))
	}
	return min(widest, max(width*2/5, 8))
}

func (l *List) renderRow(r Record, selected bool, name, width int) []string {
	t := l.Theme
	cursor := "  "
	if selected {
		cursor = t.Cursor + " "
	}
	text := strings.ReplaceAll(r.Note, "\n", " ")
	head := cursor + t.Mark(r.Status) + " "
	style := t.Plain
	if r.hasProblem() {
		style = t.Style(r.Status)
	}
	if !l.wrap {
		row := cells.Fit(r.Name, name) + "  " + text
		if selected {
			return []string{head + t.Selected.Render(cells.Fit(row, width-cells.Count(head)))}
		}
		return []string{cells.Truncate(head+style.Render(row), width)}
	}
	indent := strings.Repeat(" ", cells.Count(head)+2)
	if selected {
		style = t.Selected
	}
	return cells.WrapAfter(head, style, r.formatRow(), indent, width)
}

// renderRecord draws the part of the record that fits, and how much is beyond.
func (l *List) renderRecord(r Record, width, height int) string {
	lines := r.renderLines(l.Theme, width)
	l.record.Width, l.record.Height = width, height
	l.record.SetContent(strings.Join(lines, "\n"))
	l.record.SetYOffset(l.record.YOffset) // within the new content
	return cells.Fill(ScrollLines(l.Theme, lines, l.record.YOffset, height), width, height)
}
