package tui

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

func (d *dashboard) newHelpModel(width int) help.Model {
	t := d.theme
	writer := help.New()
	writer.Width, writer.ShortSeparator = width, "  "
	writer.Styles = help.Styles{
		ShortKey: t.Bold, ShortDesc: t.Dim, ShortSeparator: t.Dim, Ellipsis: t.Dim,
		FullKey: t.Bold, FullDesc: t.Plain, FullSeparator: t.Dim,
	}
	return writer
}

// renderKeyLine lists the panes, the selected one in brackets, and the most important keys.
func (d *dashboard) renderKeyLine(width int) string {
	if d.notice != "" {
		return cells.Fit(" "+d.notice, width)
	}
	if d.typing {
		t := d.theme
		line := " " + t.Label.Render("/") + d.filters[d.tab] + t.Selected.Render(" ")
		return cells.Fit(line+t.Dim.Render("   filters the "+d.tab.String()+": enter keeps, esc clears"), width)
	}
	keys := d.keys
	keys.Details.SetHelp("d", "why")
	keys.Handover.SetHelp("h", "hand-over")
	if d.handoverState.open {
		keys.Handover.SetHelp("h", "dashboard")
	}
	keys.Details.SetEnabled(d.details || len(d.board.Findings) > 0 || len(d.buildRunStatus().ListFailed()) > 0)
	short := " " + d.newHelpModel(width-2).ShortHelpView(keys.ShortHelp())
	room := width - ansi.StringWidth(short) - 1
	full, brief, numbers := d.listTabNames(tab.String), d.listTabNames(tab.shortName), d.listTabNames(d.formatSelectedTab)
	for _, line := range []string{d.renderTabLine(full, 2), d.renderTabLine(full, 1), d.renderTabLine(brief, 1), d.renderTabLine(numbers, 2)} {
		if ansi.StringWidth(line) <= room {
			return cells.Fit(line, room) + short + " "
		}
	}
	return cells.Fit(short, width)
}

func (d *dashboard) listTabNames(name func(tab) string) []string {
	var names []string
	for t := range d.countTabs() {
		names = append(names, strings.TrimSpace(fmt.Sprint(int(t)+1, " ", name(t))))
	}
	return names
}

func (d *dashboard) formatSelectedTab(t tab) string {
	if t == d.tab {
		return t.shortName()
	}
	return ""
}

func (t tab) shortName() string {
	return [...]string{"all", "steps", "boot", "etcd", "nodes", "ops", "cloud", "log", "syn"}[t]
}

// The brackets of the selected tab take the place of a gap of gap cells.
func (d *dashboard) renderTabLine(names []string, gap int) string {
	line, after := "", 1
	for t, name := range names {
		if tab(t) == d.tab && !d.details && !d.handoverState.open {
			line += strings.Repeat(" ", after-1) + d.theme.Focus.Render("["+name+"]")
			after = gap - 1
			continue
		}
		line += strings.Repeat(" ", after) + d.theme.Dim.Render(name)
		after = gap
	}
	return line
}

func (d *dashboard) buildHelp() components.View {
	t := d.theme
	keys := d.keys
	if d.countTabs() > synTab {
		keys.Tabs.SetHelp("1-9", keys.Tabs.Help().Desc)
	}
	groups := keys.FullHelp()
	if d.buildAction().Link() != "" {
		groups[2] = append(groups[2], keys.Copy)
	}
	legend := []string{t.Label.Render("symbols")}
	for _, status := range []theme.Status{theme.OK, theme.Running, theme.Waiting, theme.Warn, theme.Failed, theme.Skipped} {
		legend = append(legend, t.Mark(status)+" "+status.Word())
	}
	left := append(d.renderKeyRows(groups[0]), d.renderKeyRows(groups[1])...)
	return twoColumns{left, append(append(legend, ""), d.renderKeyRows(groups[2])...)}
}

func (d *dashboard) renderKeyRows(keys []key.Binding) []string {
	var rows []string
	for _, binding := range keys {
		if h := binding.Help(); binding.Enabled() {
			rows = append(rows, " "+d.theme.Bold.Render(cells.Fit(h.Key, 11))+h.Desc)
		}
	}
	return rows
}

type twoColumns struct{ left, right []string }

func (c twoColumns) View(width, height int) string {
	var lines []string
	for i := range max(len(c.left), len(c.right)) {
		line := cells.Fit(getLine(c.left, i), min(44, width*2/3))
		lines = append(lines, line+getLine(c.right, i))
	}
	return cells.Fill(lines, width, height)
}

func getLine(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
