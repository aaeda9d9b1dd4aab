package review

import (
	"exoshift/provisioner"
	"exoshift/tui/checks"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

func (p *Checks) handleKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case p.popups.Open != nil:
		return p.popups.HandleKey(k)
	case p.filtering:
		p.handleFilterKey(k)
		return nil
	}
	switch {
	case k.Type == tea.KeyEsc:
		p.board.Filter.Clear()
		p.board.CachedList = nil
	case key.Matches(k, p.keys.Again):
		p.startChecks()
	case key.Matches(k, p.keys.Accept):
		p.handleAccept()
	case key.Matches(k, p.keys.Up):
		p.selectIndex(p.selectedIndex() - 1)
	case key.Matches(k, p.keys.Down):
		p.selectIndex(p.selectedIndex() + 1)
	case key.Matches(k, p.keys.Home):
		p.selectIndex(0)
	case key.Matches(k, p.keys.End):
		p.selectIndex(len(p.runs.Steps()) + len(p.board.GetList().Rows) - 1)
	default:
		return p.handleProbeKey(k)
	}
	return nil
}

func (p *Checks) handleProbeKey(k tea.KeyMsg) tea.Cmd {
	row := p.selectedProbe()
	switch text := string(k.Runes); {
	case key.Matches(k, p.keys.Next):
		p.board.SwitchSource(1)
	case key.Matches(k, p.keys.Previous):
		p.board.SwitchSource(-1)
	case text == "d":
		p.openSelected()
	case text == "/" && len(p.board.Rows) > 0:
		p.filtering = true
	case text == "a":
		p.board.ShowAll, p.board.CachedList = !p.board.ShowAll, nil
	case text == "z":
		p.requestZoneCheck()
	case text == "f" && len(p.board.Rows) > 0:
		checkPopups{p}.openRequest()
	case text == "x" && row != nil:
		checkPopups{p}.openSkip(row)
	case text == "c" && row != nil:
		return checkPopups{p}.copyTest(row)
	}
	return nil
}

// openSelected opens everything about the selected service or step.
func (p *Checks) openSelected() {
	if p.selectedProbe() != nil {
		checkPopups{p}.openDetails()
		return
	}
	checkPopups{p}.openStep()
}

// handleFilterKey edits the filter, and selects the first service that matches.
func (p *Checks) handleFilterKey(k tea.KeyMsg) {
	p.filtering, p.board.CachedList = p.board.Filter.HandleKey(k, p.session.ASCII), nil
	if rows := p.board.GetList().Rows; len(rows) > 0 {
		p.selectIndex(len(p.runs.Steps()))
	}
}

func (p *Checks) selectedIndex() int {
	if p.probeSelected {
		return len(p.runs.Steps()) + max(p.board.FindSelected(), 0)
	}
	return p.selected
}

func (p *Checks) selectIndex(place int) {
	probed, steps := p.board.GetList().Rows, len(p.runs.Steps())
	place = min(max(place, 0), max(steps+len(probed)-1, 0))
	p.userSelected, p.probeSelected = true, place >= steps && len(probed) > 0
	if p.probeSelected {
		p.board.SelectRow(probed[place-steps])
		return
	}
	p.selected = place
}

func (p *Checks) selectedProbe() *checks.Row {
	if !p.probeSelected {
		return nil
	}
	return p.board.SelectedRow()
}

// handleAccept goes on if all checks passed, and otherwise to the field to change.
func (p *Checks) handleAccept() {
	row, steps := p.selectedProbe(), p.runs.Steps()
	switch {
	case p.runs.HavePassed():
		p.session.RequestNext()
	case row != nil && row.Status() == theme.Failed:
		checkPopups{p}.openDetails()
	case row == nil && p.selected < len(steps) && steps[p.selected].State == provisioner.Failed:
		if field, known := session.FindAsked(steps[p.selected].Field, p.runs.Local.Spec()); known {
			p.session.RequestField(field.Key)
			return
		}
		p.selectFirstProbe()
	case p.computeStatus() == theme.Failed:
		p.userSelected = false
		p.selectMostUrgent()
		p.userSelected = true
	}
}

func (p *Checks) selectFirstProbe() {
	if p.board.HasFailed() {
		p.selectIndex(len(p.runs.Steps()))
	}
}

// Hints returns the keys that apply now.
func (p *Checks) Hints() []key.Binding {
	switch {
	case p.popups.Open != nil:
		return p.popups.Open.Hints()
	case p.filtering:
		return []key.Binding{components.NewHint("enter", "applies the filter"), components.NewHint("esc", "clears it")}
	}
	accept := key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "continue"), key.WithDisabled())
	switch {
	case p.runs.HavePassed():
		accept.SetEnabled(true)
	case p.computeStatus() == theme.Failed:
		accept.SetEnabled(true)
		accept.SetHelp("enter", "go to error")
	}
	zone, skip, request := components.NewHint("z", "zone"), components.NewHint("x", "skip"), components.NewHint("f", "request")
	zone.SetEnabled(p.session.Interview.CheckFromZone != nil && !p.runs.Zone.IsRunning())
	skip.SetEnabled(p.selectedProbe() != nil)
	request.SetEnabled(p.board.CountFindings() > 0)
	filter := components.NewHint("/", "filter")
	filter.SetEnabled(len(p.board.Rows) > 0)
	return []key.Binding{accept, components.NewHint("d", "details"), p.keys.Again, zone, skip, request, filter, p.keys.Down}
}

// Help explains the page and the selection.
func (p *Checks) Help() string {
	help := "These checks verify all requirements before the installation. They are read-only: nothing is created, no cost.\n" +
		"A failed check blocks the installation. Enter on it goes to the answer to change, if any. r runs all checks again.\n" +
		"A check is skipped if a check it depends on has failed."
	if len(p.board.Rows) > 0 {
		help += "\nConnectivity: the services that the installation needs. z also checks from a small instance in the zone. tab changes the " +
			"explained column. d shows everything about the selected row. / filters, a shows all. x skips a check with a reason, saved in the answers. c copies a command that reproduces " +
			"the result. f shows the firewall request."
	}
	if row := p.selectedProbe(); row != nil {
		return help + "\n" + row.FormatHelp()
	}
	if steps := p.listSteps(); p.selected < len(steps) {
		row := steps[p.selected]
		help += "\n" + row.Title + ": " + mapCheckState(row.State).Word() + ". " + row.Text
	}
	return help
}
