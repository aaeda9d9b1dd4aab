package tui

import (
	"context"
	"reflect"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

const (
	localColumn = 0
	zoneColumn  = 1
)

// zoneCheck is the result of the connectivity check from a small machine in the zone.
type zoneCheck struct {
	backgroundRun
	known bool // it has run to its end
}

type (
	zoneStateMsg struct {
		generation int
		state      wizard.CheckState
	}
	zoneEndedMsg struct {
		generation int
		err        error
	}
)

func (p *checksPage) handleProbeResult(s wizard.CheckState) {
	check, result := s.Reach.Check, s.Reach.Result
	column := max(p.board.findColumn(result.Source), localColumn)
	if result.Source != "" && p.board.findColumn(result.Source) < 0 {
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
		p.board.recordResult(column, result, p.session.now())
	} else if s.State != "" {
		row.Results[column].Status = mapCheckState(s.State)
	}
	p.selectMostUrgent()
}

// resetBoard drops the results for other answers; those for the present answers stay until newer ones replace them.
func (p *checksPage) resetBoard() {
	if !p.zone.running && !p.isZoneCurrent() && len(p.board.sources) > zoneColumn {
		p.board.clearSource(zoneColumn)
		p.zone.known = false
	}
	kept := p.board
	p.board = newProbeBoard(kept.sources, p.session.ascii)
	p.board.source, p.board.showAll, p.board.log = kept.source, kept.showAll, kept.log
	for _, row := range kept.rows {
		if len(kept.sources) > zoneColumn && row.Results[zoneColumn].Status != theme.Waiting {
			again := p.board.add(row.check)
			again.Results[zoneColumn], again.results[zoneColumn] = row.Results[zoneColumn], row.results[zoneColumn]
		}
	}
}

func (p *checksPage) isZoneCurrent() bool {
	return p.zone.known && reflect.DeepEqual(p.zone.spec, p.session.Spec())
}

// A confirmation is required: a machine is started in the zone.
func (p *checksPage) requestZoneCheck() {
	t := p.session.theme
	switch {
	case p.session.Interview.CheckFromZone == nil || p.zone.running:
		return
	case p.session.zoneRuns > 0:
		p.showNotice("The machine of the last look is still being deleted. Try again in a moment.")
		return
	}
	terms := "A small machine is started in the zone for a moment, and deleted again."
	if p.session.Interview.ZoneTerms != nil {
		terms = cells.SanitizeText(p.session.Interview.ZoneTerms(p.session.Spec()), p.session.ascii)
	}
	p.popups.Open = &components.Dialog{
		Theme: t, Title: "Look from the zone?", Text: terms, Back: "go back", Accept: "yes, look from there",
		OnAccept: func() tea.Cmd { p.startZoneCheck(); return nil },
	}
}

// zoneRowID is the ID of the row with the reason why the zone check failed.
const zoneRowID = "from-the-zone"

func (p *checksPage) startZoneCheck() {
	talk := p.session
	p.zone.known = false
	p.rows = slices.DeleteFunc(p.rows, func(row checkRow) bool { return row.ID == zoneRowID })
	p.userSelected = false
	p.board.clearSource(zoneColumn)
	p.board.markRunning(zoneColumn, nil)
	p.board.source = zoneColumn
	p.selectMostUrgent()
	talk.zoneRuns++
	p.zone.begin(talk, func(ctx context.Context, turn int, spec state.Spec, secrets wizard.Secrets) tea.Msg {
		talk.zoneMu.RLock()
		defer talk.zoneMu.RUnlock()
		err := talk.Interview.CheckFromZone(ctx, spec, secrets, func(s wizard.CheckState) { talk.send(zoneStateMsg{turn, s}) })
		return zoneEndedMsg{turn, err}
	})
}

// A zone check that could not be run blocks nothing.
func (p *checksPage) handleZoneEnd(m zoneEndedMsg) {
	p.session.zoneRuns--
	if m.generation != p.zone.generation || !p.zone.running {
		return
	}
	p.zone.running, p.zone.cancel, p.zone.known = false, nil, m.err == nil
	if p.board.clearRunning(zoneColumn); m.err == nil {
		p.board.markAbsent(zoneColumn)
		p.board.markAbsent(localColumn)
	}
	if m.err != nil {
		p.rows = append(p.rows, checkRow{warning: true, CheckState: sanitizeCheckState(wizard.CheckState{
			ID: zoneRowID, Title: "Look from the zone", State: provisioner.Done, Text: m.err.Error(), Hint: fault.HintOf(m.err),
		}, p.session.ascii)})
	}
	p.selectMostUrgent()
}

// hasFailed reports whether a required service is unreachable.
func (b *probeBoard) hasFailed() bool {
	for _, row := range b.rows {
		if row.Status() == theme.Failed {
			return true
		}
	}
	return false
}
