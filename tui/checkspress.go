package tui

import (
	"exoshift/provisioner"
	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

func (p *checksPage) press(k tea.KeyMsg) tea.Cmd {
	if p.popup != nil {
		return p.pressPopup(k)
	}
	switch {
	case key.Matches(k, p.keys.Again):
		p.run()
	case key.Matches(k, p.keys.Accept):
		p.accept()
	case key.Matches(k, p.keys.Up):
		p.choose(p.place() - 1)
	case key.Matches(k, p.keys.Down):
		p.choose(p.place() + 1)
	case key.Matches(k, p.keys.Home):
		p.choose(0)
	case key.Matches(k, p.keys.End):
		p.choose(len(p.rows) + len(p.board.list().rows) - 1)
	default:
		return p.pressReach(k)
	}
	return nil
}

// pressReach takes the keys of what is probed.
func (p *checksPage) pressReach(k tea.KeyMsg) tea.Cmd {
	row := p.probed()
	switch text := string(k.Runes); {
	case key.Matches(k, p.keys.Next):
		p.board.face(1)
	case key.Matches(k, p.keys.Previous):
		p.board.face(-1)
	case text == "a":
		p.board.all, p.board.choice = !p.board.all, nil
	case text == "z":
		p.askZone()
	case text == "f" && len(p.board.rows) > 0:
		p.openRequest()
	case text == "x" && row != nil:
		p.openSkip(row)
	case text == "c" && row != nil:
		return p.copyTest(row)
	}
	return nil
}

// pressPopup gives a key to what is open. What a key opens in its place stays.
func (p *checksPage) pressPopup(k tea.KeyMsg) tea.Cmd {
	open := p.popup
	stays, cmd := open.press(k)
	if !stays && p.popup == open {
		p.popup = nil
	}
	return cmd
}

// place is where what is selected stands among the rows and what is probed.
func (p *checksPage) place() int {
	if p.probes {
		return len(p.rows) + max(p.board.at(), 0)
	}
	return p.selected
}

func (p *checksPage) choose(place int) {
	probed := p.board.list().rows
	place = min(max(place, 0), max(len(p.rows)+len(probed)-1, 0))
	p.chosen, p.probes = true, place >= len(p.rows) && len(probed) > 0
	if p.probes {
		p.board.selectRow(probed[place-len(p.rows)])
		return
	}
	p.selected = place
}

// probed is what is selected of what is probed, or nil.
func (p *checksPage) probed() *reachRow {
	if !p.probes {
		return nil
	}
	return p.board.current()
}

// accept goes on if all is well, and to what has to be changed otherwise.
func (p *checksPage) accept() {
	row := p.probed()
	switch {
	case p.well():
		p.talk.ahead()
	case row != nil && row.Status() == pane.Failed:
		p.openDetails(row)
	case row == nil && p.selected < len(p.rows) && p.rows[p.selected].State == provisioner.Failed:
		if field, known := wayOut(p.rows[p.selected].Field, p.spec); known {
			p.talk.goTo(field.Key)
			return
		}
		p.lookAtFirst()
	case p.status() == pane.Failed:
		p.chosen = false
		p.lead()
		p.chosen = true
	}
}

// lookAtFirst selects the first service that cannot be reached.
func (p *checksPage) lookAtFirst() {
	if p.board.failed() {
		p.choose(len(p.rows))
	}
}
