package dashboard

import (
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// help explains the keys that do something, and the symbols.
type help struct {
	theme       theme.Theme
	left, right []string
	offset      int // lines above
}

func newHelp(t theme.Theme, groups [][]key.Binding, offset int) help {
	legend := []string{t.Label.Render("symbols")}
	for _, status := range []theme.Status{theme.OK, theme.Running, theme.Waiting, theme.Warn, theme.Failed, theme.Skipped} {
		legend = append(legend, t.Mark(status)+" "+status.Word())
	}
	left := append(renderKeyRows(t, groups[0]), renderKeyRows(t, groups[1])...)
	return help{theme: t, left: left, right: append(append(legend, ""), renderKeyRows(t, groups[2])...), offset: offset}
}

// helpGap is the least number of cells between the columns.
const helpGap = 2

// View draws both columns, the one below the other where they do not fit side by side.
func (h help) View(width, height int) string {
	return cells.Fill(components.ScrollLines(h.theme, h.renderLines(width), h.offset, height), width, height)
}

func (h help) renderLines(width int) []string {
	column := max(countWidest(h.left)+helpGap, min(44, width*2/3))
	if column+countWidest(h.right) > width {
		return append(append(h.left[:len(h.left):len(h.left)], ""), h.right...)
	}
	var lines []string
	for i := range max(len(h.left), len(h.right)) {
		lines = append(lines, cells.Fit(cells.Line(h.left, i), column)+cells.Line(h.right, i))
	}
	return lines
}

func countWidest(lines []string) int {
	widest := 0
	for _, line := range lines {
		widest = max(widest, cells.Count(line))
	}
	return widest
}

// helpKeys handles input while the help is open.
type helpKeys struct{ *dashboard }

// handleKey scrolls the help where it is cut; any other key closes it.
func (d helpKeys) handleKey(k tea.KeyMsg) {
	switch {
	case key.Matches(k, d.keys.Redraw):
	case key.Matches(k, d.keys.Up):
		d.scroll(-1)
	case key.Matches(k, d.keys.Down):
		d.scroll(1)
	case key.Matches(k, d.keys.PageUp):
		d.scroll(-helpPage)
	case key.Matches(k, d.keys.PageDown):
		d.scroll(helpPage)
	default:
		d.help, d.helpOffset = false, 0
	}
}

// helpPage is how many lines the smallest screen shows at once.
const helpPage = 6

func (d helpKeys) scroll(by int) {
	s := d.newScreen()
	width, height := s.reportSize()
	d.helpOffset = components.Scroll(d.helpOffset, by, len(s.newHelp().renderLines(width)), height)
}
