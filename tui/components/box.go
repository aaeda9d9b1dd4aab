// Package components draws what screens consist of. Components are plain values with the data to show; View(width, height) returns
// exactly that many cells.
package components

import (
	"strings"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// View is something that can be drawn at any size: exactly width by height cells, nothing if either is not positive.
type View interface {
	View(width, height int) string
}

// Box is a frame with a title and, at the right, a note.
type Box struct {
	Theme   theme.Theme
	Title   string
	Note    string
	Focused bool
	Content View
}

// View draws the frame; where there is no room for one, only the content.
func (b Box) View(width, height int) string {
	if width < 10 || height < 3 {
		return b.Content.View(width, height)
	}
	t, style := b.Theme, b.Theme.Border
	if b.Focused {
		style = t.Focus
	}
	side := style.Render(t.Vertical)
	lines := []string{b.renderTop(width)}
	for line := range strings.SplitSeq(b.Content.View(width-4, height-2), "\n") {
		lines = append(lines, side+" "+line+" "+side)
	}
	bottom := style.Render(t.Corners[2] + strings.Repeat(t.Horizontal, width-2) + t.Corners[3])
	return strings.Join(append(lines, bottom), "\n")
}

func (b Box) renderTop(width int) string {
	t, style, title := b.Theme, b.Theme.Border, b.Theme.Label
	if b.Focused {
		style, title = t.Focus, t.Focus
	}
	name := " " + cells.Truncate(b.Title, width-6) + " "
	note := ""
	if b.Note != "" && cells.Count(name)+cells.Count(b.Note)+8 <= width {
		note = " " + b.Note + " "
	}
	line := strings.Repeat(t.Horizontal, max(width-4-cells.Count(name)-cells.Count(note), 0))
	end := t.Horizontal + t.Corners[1]
	return style.Render(t.Corners[0]+t.Horizontal) + title.Render(name) + style.Render(line) + t.Dim.Render(note) + style.Render(end)
}

// Lines is text that is drawn as it is.
type Lines []string

// View draws the lines that fit.
func (l Lines) View(width, height int) string { return cells.Fill(l, width, height) }

// ScrollLines returns height lines from offset on, with the number of lines beyond at its edges.
func ScrollLines(t theme.Theme, lines []string, offset, height int) []string {
	return ScrollFunc(t, len(lines), func(i int) string { return lines[i] }, offset, height)
}

// ScrollFunc is scrollLines for n lines that are rendered only if they are visible.
func ScrollFunc(t theme.Theme, n int, line func(int) string, offset, height int) []string {
	if n <= height || height < 3 {
		offset, height = 0, min(n, max(height, 0))
	}
	offset = min(max(offset, 0), n-height)
	cut := make([]string, height)
	for i := range cut {
		cut[i] = line(offset + i)
	}
	if offset > 0 {
		cut[0] = t.Dim.Render("  ↑ " + text.Plural(offset+1, "more line"))
	}
	if below := n - offset - height; below > 0 && height >= 3 {
		cut[height-1] = t.Dim.Render("  ↓ " + text.Plural(below+1, "more line"))
	}
	return cut
}
