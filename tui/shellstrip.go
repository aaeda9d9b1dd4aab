package tui

import (
	"strconv"
	"strings"

	"exoshift/tui/pane"

	"github.com/charmbracelet/x/ansi"
)

// strip names the screens and says how each is; the one in front stands in brackets. Where there is little room only
// that one has its name.
func (s *shell) strip(width int) string {
	if s.talk == nil {
		return pane.Fit("", width)
	}
	full, tight, numbers := s.stripLine(" ", true), s.stripLine("", true), s.stripLine("", false)
	for _, line := range []string{full, tight} {
		if ansi.StringWidth(line) <= width {
			return pane.Fit(line, width)
		}
	}
	return pane.Fit(numbers, width)
}

// stripLine puts the screens side by side; the brackets take the place of a space.
func (s *shell) stripLine(gap string, named bool) string {
	var line strings.Builder
	before := " "
	for n, i := range s.shown() {
		name, front := strconv.Itoa(n+1), i == s.current
		if named || front {
			name += " " + s.title(i)
		}
		switch {
		case front:
			line.WriteString(s.theme.Focus.Render("["+name) + gap + s.theme.Mark(s.mark(i)) + s.theme.Focus.Render("]") + gap)
			before = ""
		default:
			line.WriteString(before + s.theme.Dim.Render(name) + gap + s.theme.Mark(s.mark(i)) + gap)
			before = " "
		}
	}
	return line.String()
}
