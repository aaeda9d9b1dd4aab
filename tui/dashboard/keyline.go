package dashboard

import (
	"fmt"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/help"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"
)

// keyLine is the last line: the panes, the selected one in brackets, and the most important keys.
type keyLine struct {
	theme    theme.Theme
	keys     keyMap
	nav      navigation
	handover bool // the report is open
	wrong    bool // there is something to explain
	notice   string
	list     *components.List // open; or nil
}

// View draws the line.
func (v keyLine) View(width, height int) string {
	return cells.Fill([]string{v.render(width)}, width, height)
}

func (v keyLine) render(width int) string {
	t := v.theme
	switch {
	case v.notice != "":
		return " " + v.notice
	case v.list != nil:
		return components.RenderKeys(t, v.list.Hints(), width)
	case v.nav.typing:
		usage := "   filter the " + v.nav.tab.String() + ": enter applies, esc clears"
		return " " + t.Label.Render("/") + v.nav.filters[v.nav.tab].Render(t, width-2-len(usage)) + t.Dim.Render(usage)
	}
	short := " " + v.renderKeys(width-2)
	room := width - ansi.StringWidth(short) - 1
	full, brief, numbers := v.listNames(tab.String), v.listNames(tab.shortName), v.listNames(v.formatSelected)
	for _, line := range []string{v.renderTabs(full, 2), v.renderTabs(full, 1), v.renderTabs(brief, 1), v.renderTabs(numbers, 2)} {
		if ansi.StringWidth(line) <= room {
			return cells.Fit(line, room) + short + " "
		}
	}
	return short
}

func (v keyLine) renderKeys(width int) string {
	t, keys := v.theme, v.keys
	keys.Details.SetHelp("d", "why")
	keys.Details.SetEnabled(v.wrong)
	keys.Handover.SetHelp("h", "hand-over")
	if v.handover {
		keys.Handover.SetHelp("h", "dashboard")
	}
	line := help.New()
	line.Width, line.ShortSeparator = width, "  "
	line.Styles = help.Styles{
		ShortKey: t.Bold, ShortDesc: t.Dim, ShortSeparator: t.Dim, Ellipsis: t.Dim,
		FullKey: t.Bold, FullDesc: t.Plain, FullSeparator: t.Dim,
	}
	return line.ShortHelpView(keys.ShortHelp())
}

func (v keyLine) listNames(name func(tab) string) []string {
	var names []string
	for t := range v.nav.count {
		names = append(names, strings.TrimSpace(fmt.Sprint(int(t)+1, " ", name(t))))
	}
	return names
}

func (v keyLine) formatSelected(t tab) string {
	if t == v.nav.tab {
		return t.shortName()
	}
	return ""
}

// The brackets of the selected tab take the place of a gap of gap cells.
func (v keyLine) renderTabs(names []string, gap int) string {
	line, after := "", 1
	for t, name := range names {
		if tab(t) == v.nav.tab && !v.nav.details && !v.handover {
			line += strings.Repeat(" ", after-1) + v.theme.Focus.Render("["+name+"]")
			after = gap - 1
			continue
		}
		line += strings.Repeat(" ", after) + v.theme.Dim.Render(name)
		after = gap
	}
	return line
}

func renderKeyRows(t theme.Theme, keys []key.Binding) []string {
	var rows []string
	for _, binding := range keys {
		if h := binding.Help(); binding.Enabled() {
			rows = append(rows, " "+t.Bold.Render(cells.Fit(h.Key, 11))+h.Desc)
		}
	}
	return rows
}
