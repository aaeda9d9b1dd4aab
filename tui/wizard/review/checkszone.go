package review

import (
	"context"
	"reflect"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/components"
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

// ZoneRunner runs the checks from a machine in the zone.
type zoneRunner struct{ *Checks }

func (p zoneRunner) isZoneCurrent() bool {
	return p.zone.known && reflect.DeepEqual(p.zone.spec, p.session.Spec())
}

// A confirmation is required: a machine is started in the zone.
func (p zoneRunner) requestZoneCheck() {
	t := p.session.Theme
	switch {
	case p.session.Interview.CheckFromZone == nil || p.zone.running:
		return
	case p.session.ZoneRuns > 0:
		checkPopups(p).showNotice("The instance of the last check is still being deleted. Try again in a moment.")
		return
	}
	terms := "Starts a small temporary instance in the zone and deletes it afterwards."
	if p.session.Interview.ZoneTerms != nil {
		terms = cells.SanitizeText(p.session.Interview.ZoneTerms(p.session.Spec()), p.session.ASCII)
	}
	p.popups.Open = &components.Dialog{
		Theme: t, Title: "Check from the zone?", Text: terms, Back: "cancel", Accept: "yes, check from there",
		OnAccept: func() tea.Cmd { p.startZoneCheck(); return nil },
	}
}

// zoneRowID is the ID of the row with the reason why the zone check failed.
const zoneRowID = "from-the-zone"

func (p zoneRunner) startZoneCheck() {
	talk := p.session
	p.zone.known = false
	p.rows = slices.DeleteFunc(p.rows, func(row checkRow) bool { return row.ID == zoneRowID })
	p.userSelected = false
	p.board.ClearSource(zoneColumn)
	p.board.MarkRunning(zoneColumn, nil)
	p.board.Source = zoneColumn
	p.selectMostUrgent()
	talk.ZoneRuns++
	p.zone.begin(talk, func(ctx context.Context, turn int, spec state.Spec, secrets wizard.Secrets) tea.Msg {
		talk.ZoneMu.RLock()
		defer talk.ZoneMu.RUnlock()
		err := talk.Interview.CheckFromZone(ctx, spec, secrets, func(s wizard.CheckState) { talk.Send(zoneStateMsg{turn, s}) })
		return zoneEndedMsg{turn, err}
	})
}

// A zone check that could not be run blocks nothing.
func (p zoneRunner) handleZoneEnd(m zoneEndedMsg) {
	p.session.ZoneRuns--
	if m.generation != p.zone.generation || !p.zone.running {
		return
	}
	p.zone.running, p.zone.cancel, p.zone.known = false, nil, m.err == nil
	if p.board.ClearRunning(zoneColumn); m.err == nil {
		p.board.MarkAbsent(zoneColumn)
		p.board.MarkAbsent(localColumn)
	}
	if m.err != nil {
		p.rows = append(p.rows, checkRow{warning: true, CheckState: sanitizeCheckState(wizard.CheckState{
			ID: zoneRowID, Title: "Check from the zone", State: provisioner.Done, Text: m.err.Error(), Hint: fault.HintOf(m.err),
		}, p.session.ASCII)})
	}
	p.selectMostUrgent()
}
