package tui

import (
	"context"
	"reflect"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/pane"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// The columns of the board.
const (
	hereColumn = 0
	zoneColumn = 1
)

// zoneLook is what a small machine in the zone finds out.
type zoneLook struct {
	attempt
	known bool // it came to its end
}

// How the look from the zone goes on.
type (
	zoneTold struct {
		turn  int
		state wizard.CheckState
	}
	zoneEnded struct {
		turn int
		err  error
	}
)

// hearReach takes in what is known about a service from one vantage.
func (p *checksPage) hearReach(s wizard.CheckState) {
	check, result := s.Reach.Check, s.Reach.Result
	column := max(p.board.column(result.Vantage), hereColumn)
	if result.Vantage != "" && p.board.column(result.Vantage) < 0 {
		return
	}
	row := p.board.byID[check.ID]
	if row == nil || check.URL != "" {
		row = p.board.add(check)
	}
	if result.Verdict != "" {
		if result.ID == "" {
			result.ID = check.ID
		}
		p.board.hear(column, result, p.talk.now())
	} else if s.State != "" {
		row.Sights[column].Status = checkStatus(s.State)
	}
	p.lead()
}

// renew drops what was found out about other answers; what is about these stays until there is something newer.
func (p *checksPage) renew() {
	if !p.zone.running && !p.zoneCurrent() && len(p.board.vantages) > zoneColumn {
		p.board.forget(zoneColumn)
		p.zone.known = false
	}
	kept := p.board
	p.board = newReachBoard(kept.vantages, p.talk.ascii)
	p.board.facing, p.board.all, p.board.log = kept.facing, kept.all, kept.log
	for _, row := range kept.rows {
		if len(kept.vantages) > zoneColumn && row.Sights[zoneColumn].Status != pane.Waiting {
			again := p.board.add(row.check)
			again.Sights[zoneColumn], again.results[zoneColumn] = row.Sights[zoneColumn], row.results[zoneColumn]
		}
	}
}

// zoneCurrent tells whether what is known from the zone is about the answers as they are.
func (p *checksPage) zoneCurrent() bool {
	return p.zone.known && reflect.DeepEqual(p.zone.spec, p.talk.spec())
}

// askZone asks before a machine is started in the zone.
func (p *checksPage) askZone() {
	t := p.talk.theme
	switch {
	case p.talk.interview.CheckFromZone == nil || p.zone.running:
		return
	case p.talk.travels > 0:
		p.tell("The machine of the last look is still being deleted. Try again in a moment.")
		return
	}
	terms := "A small machine is started in the zone for a moment, and deleted again."
	if p.talk.interview.ZoneTerms != nil {
		terms = cleanText(p.talk.interview.ZoneTerms(p.talk.spec()), p.talk.ascii)
	}
	p.popup = &question{
		theme: t, title: "Look from the zone?", text: terms, back: "go back", accept: "yes, look from there",
		yes: func() tea.Cmd { p.runZone(); return nil },
	}
}

// zoneRowID is the ID of the row that says why nobody could look from the zone.
const zoneRowID = "from-the-zone"

// runZone looks from the zone, in the background.
func (p *checksPage) runZone() {
	talk := p.talk
	p.zone.known = false
	p.rows = slices.DeleteFunc(p.rows, func(row checkRow) bool { return row.ID == zoneRowID })
	p.chosen = false
	p.board.forget(zoneColumn)
	p.board.expect(zoneColumn, nil)
	p.board.facing = zoneColumn
	p.lead()
	talk.travels++
	p.zone.begin(talk, func(ctx context.Context, turn int, spec state.Spec, secrets wizard.Secrets) tea.Msg {
		talk.abroad.RLock()
		defer talk.abroad.RUnlock()
		err := talk.interview.CheckFromZone(ctx, spec, secrets, func(s wizard.CheckState) { talk.send(zoneTold{turn, s}) })
		return zoneEnded{turn, err}
	})
}

// endZone takes in how the look from the zone ended as a whole. That it could not be made blocks nothing.
func (p *checksPage) endZone(m zoneEnded) {
	p.talk.travels--
	if m.turn != p.zone.turn || !p.zone.running {
		return
	}
	p.zone.running, p.zone.cancel, p.zone.known = false, nil, m.err == nil
	if p.board.settle(zoneColumn); m.err == nil {
		p.board.exempt(zoneColumn)
		p.board.exempt(hereColumn)
	}
	if m.err != nil {
		p.rows = append(p.rows, checkRow{warns: true, CheckState: cleanCheck(wizard.CheckState{
			ID: zoneRowID, Title: "Look from the zone", State: provisioner.Done, Text: m.err.Error(), Hint: fault.HintOf(m.err),
		}, p.talk.ascii)})
	}
	p.lead()
}

// failed tells whether something cannot be reached that has to be.
func (b *reachBoard) failed() bool {
	for _, row := range b.rows {
		if row.Status() == pane.Failed {
			return true
		}
	}
	return false
}
