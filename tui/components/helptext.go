package components

import (
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// HelpText is a help page: a title, paragraphs, and paragraphs with a label.
type HelpText struct {
	Theme theme.Theme
	Text  string
}

// View draws what fits.
func (h HelpText) View(width, height int) string {
	return cells.Fill(h.RenderLines(width), width, height)
}

// RenderLines returns all lines, wrapped.
func (h HelpText) RenderLines(width int) []string {
	var lines []string
	for i, paragraph := range strings.Split(h.Text, "\n") {
		head, rest, labelled := strings.Cut(paragraph, ": ")
		switch {
		case i == 0:
			for _, line := range cells.Wrap(paragraph, "", width-2) {
				lines = append(lines, " "+h.Theme.Bold.Render(line))
			}
		case labelled && len(head) <= 8 && !strings.Contains(head, " "):
			lines = append(lines, "", " "+h.Theme.Label.Render(head))
			lines = append(lines, cells.Wrap(rest, " ", width)...)
		default:
			lines = append(lines, cells.Wrap(paragraph, " ", width)...)
		}
	}
	return lines
}
