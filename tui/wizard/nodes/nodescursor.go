package nodes

import (
	"slices"
)

const (
	nextButton = iota
	addButton
	buttonCount
)

func (p *Page) isOnButtons() bool { return p.row >= len(p.listRows()) }

func (p *Page) listParts(row int) []string {
	rows := p.listRows()
	if row < 0 || row >= len(rows) {
		return nil
	}
	var parts []string
	for _, column := range collectColumns(rows) {
		if rows[row].asked[column.part] {
			parts = append(parts, column.part)
		}
	}
	return parts
}

func (p *Page) resetCursor() {
	p.row = min(max(p.row, 0), len(p.listRows()))
	if parts := p.listParts(p.row); len(parts) > 0 && !slices.Contains(parts, p.part) {
		p.part = p.findNearest(parts)
	}
}

// findNearest returns the part whose column is nearest to that of the cursor.
func (p *Page) findNearest(parts []string) string {
	columns := collectColumns(p.listRows())
	place := func(part string) int {
		return slices.IndexFunc(columns, func(c nodesColumn) bool { return c.part == part })
	}
	return slices.MinFunc(parts, func(a, b string) int {
		return columnDistance(place(a), place(p.part)) - columnDistance(place(b), place(p.part))
	})
}

func columnDistance(a, b int) int { return max(a-b, b-a) }

func (p *Page) moveVertical(by int) {
	cellEditor{p}.storeEdit()
	p.row += by
	p.resetCursor()
}

// moveHorizontal moves the cursor within its row; at the ends it stays, unless it wraps into the next row.
func (p *Page) moveHorizontal(by int, wraps bool) {
	cellEditor{p}.storeEdit()
	if p.isOnButtons() {
		p.moveButton(by, wraps)
		return
	}
	parts := p.listParts(p.row)
	at := slices.Index(parts, p.part) + by
	switch {
	case at >= 0 && at < len(parts):
		p.part = parts[at]
	case !wraps:
	case at < 0 && p.row > 0:
		p.row--
		p.part = lastPart(p.listParts(p.row))
	case at > 0:
		p.row++
		p.button = nextButton
		if next := p.listParts(p.row); len(next) > 0 {
			p.part = next[0]
		}
	}
}

func lastPart(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

func (p *Page) moveButton(by int, wraps bool) {
	at := p.button + by
	if at < 0 && wraps {
		p.row--
		p.resetCursor()
		return
	}
	p.button = min(max(at, 0), p.lastButton())
}

// lastButton depends on whether additional groups are asked.
func (p *Page) lastButton() int {
	if !p.hasExtraGroups() {
		return nextButton
	}
	return buttonCount - 1
}
