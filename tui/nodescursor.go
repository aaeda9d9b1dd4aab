package tui

import "slices"

// The buttons below the table.
const (
	nextButton = iota
	addButton
	buttons
)

// onButtons tells whether the cursor is below the table.
func (p *nodesPage) onButtons() bool { return p.row >= len(p.rows()) }

// parts are the cells of a row that can be changed, in the order of the columns.
func (p *nodesPage) parts(row int) []string {
	rows := p.rows()
	if row < 0 || row >= len(rows) {
		return nil
	}
	var parts []string
	for _, column := range columnsOf(rows) {
		if rows[row].asked[column.part] {
			parts = append(parts, column.part)
		}
	}
	return parts
}

// settle puts the cursor on a cell that can be changed.
func (p *nodesPage) settle() {
	p.row = min(max(p.row, 0), len(p.rows()))
	if parts := p.parts(p.row); len(parts) > 0 && !slices.Contains(parts, p.part) {
		p.part = p.nearest(parts)
	}
}

// nearest returns the part whose column is nearest to the one of the cursor.
func (p *nodesPage) nearest(parts []string) string {
	columns := columnsOf(p.rows())
	place := func(part string) int {
		return slices.IndexFunc(columns, func(c nodesColumn) bool { return c.part == part })
	}
	return slices.MinFunc(parts, func(a, b string) int {
		return distance(place(a), place(p.part)) - distance(place(b), place(p.part))
	})
}

func distance(a, b int) int { return max(a-b, b-a) }

// vertical moves the cursor by rows.
func (p *nodesPage) vertical(by int) {
	p.commit()
	p.row += by
	p.settle()
}

// horizontal moves the cursor within its row; beyond its ends it stays, unless it wraps into the next row.
func (p *nodesPage) horizontal(by int, wraps bool) {
	p.commit()
	if p.onButtons() {
		p.moveButton(by, wraps)
		return
	}
	parts := p.parts(p.row)
	at := slices.Index(parts, p.part) + by
	switch {
	case at >= 0 && at < len(parts):
		p.part = parts[at]
	case !wraps:
	case at < 0 && p.row > 0:
		p.row--
		p.part = last(p.parts(p.row))
	case at > 0:
		p.row++
		p.button = nextButton
		if next := p.parts(p.row); len(next) > 0 {
			p.part = next[0]
		}
	}
}

func last(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

func (p *nodesPage) moveButton(by int, wraps bool) {
	at := p.button + by
	if at < 0 && wraps {
		p.row--
		p.settle()
		return
	}
	p.button = min(max(at, 0), p.lastButton())
}

// lastButton is the last one that is there: groups are asked for or not.
func (p *nodesPage) lastButton() int {
	if !p.asksGroups() {
		return nextButton
	}
	return buttons - 1
}
