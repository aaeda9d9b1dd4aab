package tui

import (
	"cmp"
	"slices"
	"strings"

	"exoshift/tui/components"
)

type canvas struct {
	width, height int
	blocks        []block
}

// block is a part of the screen and its lines, each as wide as the part.
type block struct {
	rect  Rect
	lines []string
}

// Parts must not overlap.
func (c *canvas) draw(r Rect, view components.View) {
	if !r.isEmpty() {
		c.blocks = append(c.blocks, block{r, strings.Split(view.View(r.W, r.H), "\n")})
	}
}

func (c *canvas) String() string {
	slices.SortStableFunc(c.blocks, func(a, b block) int { return cmp.Compare(a.rect.X, b.rect.X) })
	lines := make([]string, c.height)
	for y := range lines {
		lines[y] = c.renderRow(y)
	}
	return strings.Join(lines, "\n")
}

func (c *canvas) renderRow(y int) string {
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
	row.WriteString(strings.Repeat(" ", max(c.width-x, 0)))
	return row.String()
}
