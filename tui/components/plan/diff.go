package plan

import (
	"strings"

	"exoshift/tui/theme"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// renderChanges never shortens a line of the change.
func (p Review) renderChanges(width int) []string {
	if p.Change == "" {
		return nil
	}
	lines := []string{" " + p.Theme.Label.Render("CHANGES OF THE TENANT'S CONFIGURATION"), ""}
	for line := range strings.SplitSeq(p.Change, "\n") {
		style := p.getDiffStyle(line)
		for i, part := range strings.Split(ansi.Hardwrap(line, max(width-6, 8), true), "\n") {
			if i > 0 {
				part = "    " + part
			}
			lines = append(lines, "  "+style.Render(part))
		}
	}
	return append(lines, "")
}

func (p Review) getDiffStyle(line string) lipgloss.Style {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
		return p.Theme.Dim
	case strings.HasPrefix(line, "+"):
		return p.Theme.Good
	case strings.HasPrefix(line, "-"):
		return p.Theme.Style(theme.Failed)
	}
	return p.Theme.Plain
}
