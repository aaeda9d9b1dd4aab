package tui

import (
	"exoshift/provisioner"
	"exoshift/tui/theme"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

func (p *checksPage) handleKey(k tea.KeyMsg) tea.Cmd {
	if p.popups.Open != nil {
		return p.popups.HandleKey(k)
	}
	switch {
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
		p.selectIndex(len(p.rows) + len(p.board.getList().rows) - 1)
	default:
		return p.handleProbeKey(k)
	}
	return nil
}

func (p *checksPage) handleProbeKey(k tea.KeyMsg) tea.Cmd {
	row := p.selectedProbe()
	switch text := string(k.Runes); {
	case key.Matches(k, p.keys.Next):
		p.board.switchSource(1)
	case key.Matches(k, p.keys.Previous):
		p.board.switchSource(-1)
	case text == "a":
		p.board.showAll, p.board.cachedList = !p.board.showAll, nil
	case text == "z":
		p.requestZoneCheck()
	case text == "f" && len(p.board.rows) > 0:
		p.openRequest()
	case text == "x" && row != nil:
		p.openSkip(row)
	case text == "c" && row != nil:
		return p.copyTest(row)
	}
	return nil
}

func (p *checksPage) selectedIndex() int {
	if p.probeSelected {
		return len(p.rows) + max(p.board.findSelected(), 0)
	}
	return p.selected
}

func (p *checksPage) selectIndex(place int) {
	probed := p.board.getList().rows
	place = min(max(place, 0), max(len(p.rows)+len(probed)-1, 0))
	p.userSelected, p.probeSelected = true, place >= len(p.rows) && len(probed) > 0
	if p.probeSelected {
		p.board.selectRow(probed[place-len(p.rows)])
		return
	}
	p.selected = place
}

func (p *checksPage) selectedProbe() *probeRow {
	if !p.probeSelected {
		return nil
	}
	return p.board.selectedRow()
}

// handleAccept goes on if all checks passed, and otherwise to the field to change.
func (p *checksPage) handleAccept() {
	row := p.selectedProbe()
	switch {
	case p.hasPassed():
		p.session.requestNext()
	case row != nil && row.Status() == theme.Failed:
		p.openDetails(row)
	case row == nil && p.selected < len(p.rows) && p.rows[p.selected].State == provisioner.Failed:
		if field, known := session.FindAsked(p.rows[p.selected].Field, p.spec); known {
			p.session.requestField(field.Key)
			return
		}
		p.selectFirstProbe()
	case p.computeStatus() == theme.Failed:
		p.userSelected = false
		p.selectMostUrgent()
		p.userSelected = true
	}
}

func (p *checksPage) selectFirstProbe() {
	if p.board.hasFailed() {
		p.selectIndex(len(p.rows))
	}
}
