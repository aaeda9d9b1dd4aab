package components

import (
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/theme"

	"github.com/charmbracelet/x/ansi"
)

// HelpText is a help page: a title, paragraphs, and paragraphs with a label.
type HelpText struct {
	Theme theme.Theme
	Text  string
}

const furtherHelp = " … F1: all"

// View draws what fits, with a mark where the rest is cut.
func (h HelpText) View(width, height int) string {
	lines := h.RenderLines(width)
	if len(lines) > height && height > 0 {
		last := ansi.Truncate(lines[height-1], max(width-cells.Count(furtherHelp), 0), "")
		lines = append(lines[:height-1:height-1], last+h.Theme.Dim.Render(furtherHelp))
	}
	return cells.Fill(lines, width, height)
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
