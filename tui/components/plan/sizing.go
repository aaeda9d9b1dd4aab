package plan

import (
	"fmt"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Sizing is a table of machines: a row for each role or group, a column for each editable or derived property. It scrolls so that
// the row of the cursor is visible.
type Sizing struct {
	Theme       theme.Theme
	CornerTitle string // above the names of the rows
	Columns     []SizingColumn
	Rows        []SizingRow
	Row         int // of the cursor; beyond the rows there is none
	Column      int // of the cursor
}

// SizingColumn is a column of the table, in cells with the brackets of the cursor.
type SizingColumn struct {
	Title, Short string // Short where there is little room
	Width        int    // for the title
	MinWidth     int    // for the short title and the values
	Left         bool   // words are aligned left, numbers right
	Rank         int    // 0: always drawn; of the others, the highest is dropped first where there is little room
}

// SizingRow is one role or group.
type SizingRow struct {
	Title  string
	Status theme.Status // Warn and Failed are marked
	Cells  []SizingCell
}

// SizingCell is one value. A fixed one is not editable: it is derived from others, or the only allowed value.
type SizingCell struct {
	Text   string
	Status theme.Status // Warn and Failed are coloured
	Fixed  bool
	Edited bool // is being edited
}

const sizingTitleWidth = 15

// View draws a heading and the rows.
func (p Sizing) View(width, height int) string {
	shown, long := p.selectColumns(width)
	lines := make([]string, len(p.Rows))
	for i, row := range p.Rows {
		lines[i] = p.renderLine(i, row, shown, width)
	}
	room := height - 1
	if room < 1 {
		return cells.Fill(lines[min(max(p.Row, 0), len(lines)):], width, height)
	}
	offset := min(max(p.Row-room/2, 0), max(len(lines)-room, 0))
	return cells.Fill(append([]string{p.renderHeading(shown, long, width)}, components.ScrollLines(p.Theme, lines, offset, room)...), width, height)
}

// Height returns the number of lines of the whole table.
func (p Sizing) Height() int { return 1 + len(p.Rows) }

type shownColumn struct{ column, width int }

// selectColumns always includes the column of the cursor.
func (p Sizing) selectColumns(width int) (shown []shownColumn, long bool) {
	room := width - p.leadWidth() - p.titleWidth(width)
	total := 0
	for i, c := range p.Columns {
		total += c.Width
		shown = append(shown, shownColumn{i, c.Width})
	}
	if total <= room {
		return shown, true
	}
	total = 0
	for i, c := range p.Columns {
		shown[i].width = c.MinWidth
		total += c.MinWidth
	}
	for total > room {
		least := p.findLeastRanked(shown)
		if least < 0 {
			break
		}
		total -= shown[least].width
		shown = append(shown[:least:least], shown[least+1:]...)
	}
	return shown, false
}

// findLeastRanked returns the index of the next column to drop, or -1.
func (p Sizing) findLeastRanked(shown []shownColumn) int {
	least, rank := -1, 0
	for i, s := range shown {
		if c := p.Columns[s.column]; c.Rank > rank && s.column != p.Column {
			least, rank = i, c.Rank
		}
	}
	return least
}

func (p Sizing) leadWidth() int { return 1 + cells.Count(p.Theme.Indent()) }

func (p Sizing) titleWidth(width int) int {
	switch {
	case width >= 110:
		return sizingTitleWidth + 8
	case width >= 70 && !p.Theme.ASCII, width >= 80:
		return sizingTitleWidth
	}
	return sizingTitleWidth - 1
}

func (p Sizing) renderHeading(shown []shownColumn, long bool, width int) string {
	line := strings.Repeat(" ", p.leadWidth()) + cells.Fit(p.CornerTitle, p.titleWidth(width))
	for _, s := range shown {
		c := p.Columns[s.column]
		title := c.Short
		if long {
			title = c.Title
		}
		line += c.renderTitle(title, s.width)
	}
	return p.Theme.Dim.Render(cells.Truncate(line, width))
}

func (p Sizing) renderLine(i int, row SizingRow, shown []shownColumn, width int) string {
	t, cursor, name := p.Theme, " ", p.Theme.Plain
	if i == p.Row {
		cursor, name = p.Theme.Focus.Render(p.Theme.Cursor), p.Theme.Bold
	}
	mark := strings.Repeat(" ", cells.Count(t.Indent())-1)
	if row.Status == theme.Warn || row.Status == theme.Failed {
		mark = t.Mark(row.Status)
	}
	line := cursor + mark + " " + name.Render(cells.Fit(row.Title, p.titleWidth(width)))
	for _, s := range shown {
		if s.column < len(row.Cells) {
			cell := p.renderCell(row.Cells[s.column], p.Columns[s.column], s.width, i == p.Row && s.column == p.Column)
			line += components.MarkTarget(t, FormatCellTarget(i, s.column), cell)
		} else {
			line += strings.Repeat(" ", s.width)
		}
	}
	return line
}

// FormatCellTarget returns the target of a cell of the table.
func FormatCellTarget(row, column int) string { return fmt.Sprintf("cell:%d:%d", row, column) }

// Brackets mark the cursor, also without colours.
func (p Sizing) renderCell(c SizingCell, column SizingColumn, width int, chosen bool) string {
	style, text := p.Theme.Plain, c.Text
	switch {
	case c.Status == theme.Warn || c.Status == theme.Failed:
		style = p.Theme.Style(c.Status)
	case c.Fixed:
		style = p.Theme.Dim
	}
	if !chosen {
		return style.Render(column.padText(text, width, " ", " "))
	}
	if c.Edited {
		text += "_"
	}
	return p.Theme.Selected.Render(column.padText(text, width, "[", "]"))
}

// A long title takes the room of the brackets, too.
func (c SizingColumn) renderTitle(title string, width int) string {
	switch {
	case c.Left:
		return cells.Fit(" "+title, width)
	case cells.Count(title) >= width:
		return cells.Fit(title, width)
	}
	return strings.Repeat(" ", width-1-cells.Count(title)) + title + " "
}

func (c SizingColumn) padText(text string, width int, before, after string) string {
	room := max(width-2, 0)
	text = cells.Truncate(text, room)
	if c.Left {
		return cells.Fit(before+cells.Fit(text, room)+after, width)
	}
	return cells.Fit(before+strings.Repeat(" ", max(room-cells.Count(text), 0))+text+after, width)
}
