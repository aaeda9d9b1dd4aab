package components

import (
	"cmp"
	"slices"
	"strings"

	"exoshift/internal/stable"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Canvas is a screen onto which parts are drawn.
type Canvas struct {
	Width, Height int
	blocks        []block
}

// block is a part of the screen and its lines, each as wide as the part.
type block struct {
	rect  Rect
	lines []string
}

// Draw draws a part. Parts must not overlap.
func (c *Canvas) Draw(r Rect, view View) {
	if !r.IsEmpty() {
		c.blocks = append(c.blocks, block{r, strings.Split(view.View(r.W, r.H), "\n")})
	}
}

func (c *Canvas) String() string {
	stable.Sort(c.blocks, func(a, b block) int { return cmp.Compare(a.rect.X, b.rect.X) })
	lines := make([]string, c.Height)
	for y := range lines {
		lines[y] = c.renderRow(y)
	}
	return strings.Join(lines, "\n")
}

func (c *Canvas) renderRow(y int) string {
	var row strings.Builder
	x := 0
	for _, b := range c.blocks {
		if y < b.rect.Y || y >= b.rect.Y+b.rect.H {
			continue
		}
		row.WriteString(strings.Repeat(" ", max(b.rect.X-x, 0)))
		row.WriteString(b.lines[y-b.rect.Y])
		x = b.rect.X + b.rect.W
	}
	row.WriteString(strings.Repeat(" ", max(c.Width-x, 0)))
	return row.String()
}

// VerticalRule is a line from top to bottom.
type VerticalRule struct{ Theme theme.Theme }

// View draws the line in the leftmost column.
func (v VerticalRule) View(width, height int) string {
	return cells.Fill(slices.Repeat([]string{v.Theme.RenderWall()}, max(height, 0)), width, height)
}

// Rect is a part of the screen in cells; a rect without area is not drawn.
type Rect struct{ X, Y, W, H int }

// IsEmpty reports whether nothing fits.
func (r Rect) IsEmpty() bool { return r.W <= 0 || r.H <= 0 }

// SplitTop cuts off that many lines at the top.
func (r Rect) SplitTop(height int) (top, rest Rect) {
	return Rect{r.X, r.Y, r.W, height}, Rect{r.X, r.Y + height, r.W, r.H - height}
}

// SplitLeft cuts off that many cells at the left.
func (r Rect) SplitLeft(width int) (left, rest Rect) {
	return Rect{r.X, r.Y, width, r.H}, Rect{r.X + width, r.Y, r.W - width, r.H}
}

// Margin keeps a pane one cell away from the edges of the screen.
type Margin struct{ Content View }

// View draws the content within the margin.
func (m Margin) View(width, height int) string {
	if width < 4 {
		return m.Content.View(width, height)
	}
	lines := strings.Split(m.Content.View(width-2, height), "\n")
	for i, line := range lines {
		lines[i] = " " + line + " "
	}
	return strings.Join(lines, "\n")
}

// Sizes of a terminal, in cells: the smallest, and from which on more is shown.
const (
	MinWidth    = 60
	MinHeight   = 16
	MediumWidth = 100
	WideWidth   = 140
	WideHeight  = 40
)
