package wizard

import (
	"strconv"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components"

	"github.com/charmbracelet/x/ansi"
)

// The current screen is in brackets. Where there is little room only that one has its name.
func (s frame) renderStrip(width int) string {
	if s.session == nil {
		return cells.Fit("", width)
	}
	full, tight, numbers := s.renderStripLine(" ", true), s.renderStripLine("", true), s.renderStripLine("", false)
	for _, line := range []string{full, tight} {
		if ansi.StringWidth(line) <= width {
			return cells.Fit(line, width)
		}
	}
	return cells.Fit(numbers, width)
}

// The brackets take the place of a space.
func (s frame) renderStripLine(gap string, named bool) string {
	var line strings.Builder
	before := " "
	for n, i := range navigator(s).listShown() {
		name, front := strconv.Itoa(n+1), i == s.current
		if named || front {
			name += " " + navigator(s).screenTitle(i)
		}
		switch {
		case front: // nothing to go to
			line.WriteString(s.theme.Focus.Render("["+name) + gap + s.theme.Mark(s.computeMark(i)) + s.theme.Focus.Render("]") + gap)
			before = ""
		default:
			target := cells.KeyTarget + "alt+" + strconv.Itoa(n+1)
			line.WriteString(components.MarkTarget(s.theme, target, before+s.theme.Dim.Render(name)+gap+s.theme.Mark(s.computeMark(i))) + gap)
			before = " "
		}
	}
	return line.String()
}
