package plan

import (
	"slices"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// frame is a box of a picture, with joints for lines that enter at the top and leave at the bottom.
type frame struct {
	title, note string
	lines       []string
	up, down    []int // columns
	dim         bool
}

func (f frame) render(t theme.Theme, width int) []string {
	title := t.Label
	if f.dim {
		title = t.Dim
	}
	name := " " + cells.Truncate(f.title, width-6) + " "
	note := ""
	if f.note != "" && cells.Count(name)+cells.Count(f.note)+8 <= width {
		note = " " + f.note + " "
	}
	from, until := 2+cells.Count(name), width-2-cells.Count(note)
	border := f.buildBorder(t, width, f.up, selectJoint(t, "┴"))
	top := t.Border.Render(t.Corners[0]+border[0]) + title.Render(name) + t.Border.Render(strings.Join(border[from-1:until-1], "")) +
		t.Dim.Render(note) + t.Border.Render(border[width-3]+t.Corners[1])
	lines := []string{top}
	side := t.Border.Render(t.Vertical)
	for _, line := range f.lines {
		lines = append(lines, side+" "+f.renderText(t, cells.Fit(line, width-4))+" "+side)
	}
	bottom := t.Corners[2] + strings.Join(f.buildBorder(t, width, f.down, selectJoint(t, "┬")), "") + t.Corners[3]
	return append(lines, t.Border.Render(bottom))
}

func (f frame) renderText(t theme.Theme, line string) string {
	if f.dim {
		return t.Dim.Render(line)
	}
	return line
}

func (f frame) buildBorder(t theme.Theme, width int, joints []int, joint string) []string {
	border := slices.Repeat([]string{t.Horizontal}, max(width-2, 0))
	for _, x := range joints {
		if x >= 1 && x-1 < len(border) {
			border[x-1] = joint
		}
	}
	return border
}

// selectJoint returns the variant of a border piece with a branch.
func selectJoint(t theme.Theme, piece string) string {
	if t.ASCII {
		return "+"
	}
	return piece
}

// half returns the width of a box in one of the two columns.
func (d picture) half() int { return (d.width - 1) / 2 }

// middle returns the column of a lane in its half: about its middle, but right of the titles.
func (d picture) middle() int { return min(max(d.half()/2, 23), d.half()-3) }

// joints returns the columns of the two lanes.
func (d picture) joints() []int { return []int{d.middle(), d.half() + 1 + d.middle()} }

// renderPair puts two boxes side by side, with the lanes entering from above and leaving below.
func (d picture) renderPair(left, right frame, up, down bool) []string {
	half := d.half()
	lane := []int{d.middle()}
	if up {
		left.up, right.up = lane, lane
	}
	if down {
		left.down, right.down = lane, lane
	}
	for len(left.lines) < len(right.lines) {
		left.lines = append(left.lines, "")
	}
	for len(right.lines) < len(left.lines) {
		right.lines = append(right.lines, "")
	}
	lines, beside := left.render(d.Theme, half), right.render(d.Theme, half)
	for i := range lines {
		lines[i] += " " + beside[i]
	}
	return lines
}

func (d picture) renderLanes(columns []int) string {
	line, x := "", 0
	for _, column := range columns {
		line += strings.Repeat(" ", max(column-x, 0)) + d.Theme.Vertical
		x = column + 1
	}
	return d.Theme.Border.Render(line)
}

func (d picture) renderLabels(left, right string) string {
	t, line, from := d.Theme, "", 0
	for i, column := range d.joints() {
		label := cells.Truncate([]string{left, right}[i], column-from-1)
		line += strings.Repeat(" ", max(column-from-cells.Count(label)-1, 0)) + label + " " + t.Border.Render(t.Vertical)
		from = column + 1
	}
	return line
}

func (d picture) padCenter(text string) string {
	text = cells.Truncate(text, d.width)
	return strings.Repeat(" ", max((d.width-cells.Count(text))/2, 0)) + text
}
