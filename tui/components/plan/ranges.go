package plan

import (
	"fmt"
	"net/netip"
	"strings"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Ranges draws address ranges below each other on one scale, so that overlaps are visible: they share columns. The scale keeps
// the order of the addresses, not their numbers, or most ranges would vanish.
type Ranges struct {
	Theme  theme.Theme
	Ranges []Range
}

// Range is one range of addresses.
type Range struct {
	Title    string
	Prefix   netip.Prefix
	Reserved bool     // reserved by the network plugin, not configurable
	Edited   bool     // is being edited
	Overlaps []string // titles of those that it overlaps
}

// Maximum widths of the columns before the scale.
const (
	rangeTitleWidth  = 20
	rangePrefixWidth = 20
	scaleMinWidth    = 12 // a scale that is narrower shows nothing
	scaleMaxWidth    = 72
	maxPairs         = 4 // that are listed in words
)

// View draws a line for each range, and below them the overlaps in words. Where there is little room, ranges without overlaps are
// left out, those of the plugin first.
func (p Ranges) View(width, height int) string {
	words := p.renderOverlaps(width)
	rows := p.selectRanges(height - len(words))
	columns := p.computeColumns(width)
	scale := p.buildScale(rows, width-columns.title-columns.prefix)
	var lines []string
	for _, row := range rows {
		lines = append(lines, p.renderRow(row, scale, columns))
	}
	if left := len(p.Ranges) - len(rows); left > 0 && len(lines)+len(words) < height {
		lines = append(lines, p.Theme.Dim.Render("  and "+text.Plural(left, "more range")))
	}
	return cells.Fill(append(lines, words...), width, height)
}

// Height returns the number of lines of everything.
func (p Ranges) Height(width int) int { return len(p.Ranges) + len(p.renderOverlaps(width)) }

// Overlapping ranges have the highest priority, then configurable ones.
func (p Ranges) selectRanges(room int) []Range {
	if len(p.Ranges) <= room {
		return p.Ranges
	}
	keep, left := make([]bool, len(p.Ranges)), max(room-1, 0)
	for _, worth := range []func(Range) bool{
		func(r Range) bool { return len(r.Overlaps) > 0 && !r.Reserved },
		func(r Range) bool { return len(r.Overlaps) > 0 },
		func(r Range) bool { return !r.Reserved },
		func(Range) bool { return true },
	} {
		for i, r := range p.Ranges {
			if left > 0 && !keep[i] && worth(r) {
				keep[i] = true
				left--
			}
		}
	}
	var rows []Range
	for i, r := range p.Ranges {
		if keep[i] {
			rows = append(rows, r)
		}
	}
	return rows
}

// buildScale uses the width that the columns before it leave; the scale may be empty.
func (p Ranges) buildScale(rows []Range, width int) scale {
	prefixes := make([]netip.Prefix, len(rows))
	for i, row := range rows {
		prefixes[i] = row.Prefix
	}
	room := width - cells.Count(p.Theme.Indent()) - 1
	if room < scaleMinWidth {
		return scale{}
	}
	return newScale(prefixes, min(room, scaleMaxWidth))
}

// rangeColumns are the widths of the titles and of the prefixes, each with a space behind it.
type rangeColumns struct{ title, prefix int }

func (p Ranges) computeColumns(width int) rangeColumns {
	var c rangeColumns
	for _, r := range p.Ranges {
		c.title, c.prefix = max(c.title, cells.Count(cells.Sanitize(r.Title))+1), max(c.prefix, len(r.Prefix.String())+1)
	}
	most := rangeTitleWidth
	if width < 70 {
		most -= 4
	}
	return rangeColumns{min(c.title, most), min(c.prefix, rangePrefixWidth)}
}

func (p Ranges) renderRow(r Range, on scale, columns rangeColumns) string {
	t, mark, style := p.Theme, p.Theme.Mark(theme.OK), p.Theme.Plain
	switch {
	case len(r.Overlaps) > 0:
		mark, style = t.Mark(theme.Failed), t.Bad
	case r.Reserved:
		mark, style = t.Mark(theme.Skipped), t.Dim
	case r.Edited:
		style = t.Bold
	}
	line := mark + " " + style.Render(cells.Fit(cells.Sanitize(r.Title), columns.title-1)+" "+cells.Fit(r.Prefix.String(), columns.prefix-1)) + " "
	return line + p.renderBar(r, on)
}

// A column that is shared with another range is a cross.
func (p Ranges) renderBar(r Range, on scale) string {
	var bar strings.Builder
	for _, part := range on.parts {
		symbol, style := p.Theme.Dot, p.Theme.Dim
		if part.isWithin(r.Prefix) {
			symbol, style = p.Theme.Full, p.Theme.Active
			if r.Reserved {
				style = p.Theme.Dim
			}
			if part.shared {
				symbol, style = p.Theme.Times, p.Theme.Bad
			}
		}
		bar.WriteString(style.Render(strings.Repeat(symbol, part.width)))
	}
	return bar.String()
}

// renderOverlaps lists the first pairs that overlap, each once, and counts the rest.
func (p Ranges) renderOverlaps(width int) []string {
	var lines []string
	listed, all := map[[2]string]bool{}, 0
	for _, r := range p.Ranges {
		all += len(r.Overlaps)
		for _, other := range r.Overlaps {
			if len(listed) == maxPairs {
				break
			}
			if listed[[2]string{other, r.Title}] {
				continue
			}
			listed[[2]string{r.Title, other}] = true
			text := fmt.Sprintf("%s (%s) overlaps %s", cells.Sanitize(r.Title), r.Prefix, cells.Sanitize(other))
			lines = append(lines, cells.WrapAfter(p.Theme.Mark(theme.Failed), p.Theme.Bad, text, p.Theme.Indent(), width)...)
		}
	}
	if more := all/2 - len(listed); more > 0 { // each pair is in two lists
		lines = append(lines, p.Theme.Indent()+p.Theme.Bad.Render("and "+text.Plural(more, "more overlap")))
	}
	return lines
}
