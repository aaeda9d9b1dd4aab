package dashboard

import (
	"strconv"
	"strings"

	"exoshift/tui/app"
	"exoshift/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

// wheelLines is how far a notch of the wheel scrolls.
const wheelLines = 3

// mouse is what clicks and the wheel do on the dashboard.
type mouse struct{ *dashboard }

func (d mouse) handle(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case app.MouseMsg:
		d.notice = d.theme.Mark(theme.OK) + " " + m.Describe()
	case app.ClickMsg:
		return d.handleClick(m.Target)
	case app.WheelMsg:
		return d.handleWheel(m)
	}
	return nil
}

// handleClick selects a pane or a row; what is selected already is opened.
func (d mouse) handleClick(target string) tea.Cmd {
	d.notice = ""
	if d.leaveDialog != nil || d.approveDialog != nil || d.nav.typing {
		return nil
	}
	t, isPane := parsePane(target)
	switch {
	case d.help:
		d.help, d.helpOffset = false, 0
	case d.list != nil:
		d.list.HandleClick(target)
	case !isPane:
	case t == d.newScreen().scrolledTab() && d.opensList():
		d.openList()
	default:
		d.selectTab(t)
	}
	return nil
}

// handleWheel scrolls what is below the pointer. It does not select it.
func (d mouse) handleWheel(m app.WheelMsg) tea.Cmd {
	t, isPane := parsePane(m.Target)
	switch {
	case d.leaveDialog != nil || d.approveDialog != nil || d.nav.typing:
		return nil
	case d.help:
		helpKeys(d).scroll(m.By * wheelLines)
		return nil
	case d.list != nil:
		d.list.HandleWheel(m.By * wheelLines)
		return nil
	case !isPane || d.handover.open || d.nav.details:
		var commands []tea.Cmd
		for _, k := range m.Keys(wheelLines) {
			commands = append(commands, d.handleKey(k))
		}
		return tea.Batch(commands...)
	}
	selected := d.nav.tab
	d.nav.tab = t
	d.newScreen().scroll(m.By * wheelLines)
	d.nav.tab = selected
	return nil
}

// paneTarget is the prefix of the target of a pane, whose number follows.
const paneTarget = "pane:"

func formatPane(t tab) string { return paneTarget + strconv.Itoa(int(t)) }

func parsePane(target string) (t tab, is bool) {
	number, is := strings.CutPrefix(target, paneTarget)
	n, err := strconv.Atoi(number)
	return tab(n), is && err == nil && n >= 0 && n < int(tabCount)
}
