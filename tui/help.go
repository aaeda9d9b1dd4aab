package tui

import (
	"fmt"
	"strings"

	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/help"
	"github.com/charmbracelet/x/ansi"
)

// helpWriter writes help from the key map in the colours of the theme.
func (d *dashboard) helpWriter(width int) help.Model {
	t := d.theme
	writer := help.New()
	writer.Width, writer.ShortSeparator = width, "  "
	writer.Styles = help.Styles{
		ShortKey: t.Bold, ShortDesc: t.Dim, ShortSeparator: t.Dim, Ellipsis: t.Dim,
		FullKey: t.Bold, FullDesc: t.Plain, FullSeparator: t.Dim,
	}
	return writer
}

// keyLine names the panes, the chosen one in brackets, and the most important keys.
func (d *dashboard) keyLine(width int) string {
	keys := d.keys
	keys.Details.SetHelp("d", "why")
	keys.Details.SetEnabled(d.details || len(d.present().Failed()) > 0)
	short := " " + d.helpWriter(width-2).ShortHelpView(keys.ShortHelp())
	room := width - ansi.StringWidth(short) - 1
	for _, line := range []string{d.tabLine(tabNames(true), 2), d.tabLine(tabNames(true), 1), d.tabLine(tabNames(false), 2)} {
		if ansi.StringWidth(line) <= room {
			return pane.Fit(line, room) + short + " "
		}
	}
	return pane.Fit(short, width)
}

func tabNames(all bool) [tabs]string {
	var names [tabs]string
	for t := range tabs {
		names[t] = fmt.Sprint(int(t) + 1)
		if all {
			names[t] += " " + t.String()
		}
	}
	return names
}

// tabLine puts the names side by side, gap cells apart; the brackets round the chosen one take the place of a gap.
func (d *dashboard) tabLine(names [tabs]string, gap int) string {
	line, after := "", 1
	for t, name := range names {
		if tab(t) == d.tab && !d.details {
			line += strings.Repeat(" ", after-1) + d.theme.Focus.Render("["+name+"]")
			after = gap - 1
			continue
		}
		line += strings.Repeat(" ", after) + d.theme.Dim.Render(name)
		after = gap
	}
	return line
}

// helpView explains keys and symbols.
func (d *dashboard) helpView() pane.View {
	t := d.theme
	var lines []string
	for _, group := range d.keys.FullHelp() {
		for _, binding := range group {
			h := binding.Help()
			lines = append(lines, " "+t.Bold.Render(pane.Fit(h.Key, 11))+h.Desc)
		}
	}
	var legend []string
	for _, status := range []pane.Status{pane.OK, pane.Running, pane.Waiting, pane.Warn, pane.Failed, pane.Skipped} {
		legend = append(legend, t.Mark(status)+" "+status.Word())
	}
	return columns{lines, append([]string{t.Label.Render("symbols")}, legend...)}
}

// columns shows keys at the left and symbols at the right.
type columns struct{ left, right []string }

func (c columns) View(width, height int) string {
	var lines []string
	for i := range max(len(c.left), len(c.right)) {
		line := pane.Fit(at(c.left, i), min(44, width*2/3))
		lines = append(lines, line+at(c.right, i))
	}
	return pane.Fill(lines, width, height)
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
