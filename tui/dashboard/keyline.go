package dashboard

import (
	"fmt"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
)

// keyLine is the last line: the panes, unless they are in the line above, the selected one in brackets, and the most important keys.
type keyLine struct {
	theme    theme.Theme
	keys     keyMap
	nav      navigation
	handover bool // the report is open
	tabs     bool // the panes are in this line
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
		usage := "   filter the " + v.nav.name(v.nav.tab) + ": enter applies, esc clears"
		return " " + t.Label.Render("/") + v.nav.filters[v.nav.tab].Render(t, width-2-len(usage)) + t.Dim.Render(usage)
	case !v.tabs:
		return components.RenderKeys(t, v.keys.ShortHelp(), width)
	}
	tabs := v.renderTabs(v.listNames(v.nav.name), 2)
	if width-cells.Count(tabs) < minKeysWidth {
		tabs = v.renderTabs(v.listNames(v.nav.shortName), 1)
	}
	keys := strings.TrimRight(components.RenderKeys(t, v.keys.ShortHelp(), width-cells.Count(tabs)-3), " ")
	return cells.Fit(tabs, width-cells.Count(keys)-1) + keys + " "
}

// minKeysWidth has room for the most important keys beside the panes.
const minKeysWidth = 40

// tabLine has the panes in a rule, as detailed as the width allows.
type tabLine struct{ keyLine }

// View draws the line.
func (v tabLine) View(width, height int) string {
	full, brief, numbers := v.listNames(v.nav.name), v.listNames(v.nav.shortName), v.listNames(v.formatSelected)
	line := ""
	for _, line = range []string{v.renderTabs(full, 2), v.renderTabs(full, 1), v.renderTabs(brief, 1), v.renderTabs(numbers, 2)} {
		if cells.Count(line) < width {
			break
		}
	}
	return cells.Fill([]string{line + " " + v.theme.RenderRule(width-cells.Count(line)-1)}, width, height)
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
		return v.nav.shortName(t)
	}
	return ""
}

// The brackets of the selected tab take the place of a gap of gap cells.
func (v keyLine) renderTabs(names []string, gap int) string {
	line, after := "", 1
	for t, name := range names {
		target := formatPane(tab(t))
		if tab(t) == v.nav.tab && !v.nav.details && !v.handover {
			line += strings.Repeat(" ", after-1) + components.MarkTarget(v.theme, target, v.theme.Focus.Render("["+name+"]"))
			after = gap - 1
			continue
		}
		line += strings.Repeat(" ", after) + components.MarkTarget(v.theme, target, v.theme.Dim.Render(name))
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
