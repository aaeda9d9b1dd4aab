// Package review is the last two pages of an interview: the checks before an installation, and the review of what it would do.
package review

import (
	"context"
	"reflect"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/checks"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// Checks runs the preflight checks in the background and shows their results.
type Checks struct {
	session *page.Context
	keys    components.DocumentKeys

	backgroundRun
	known  bool      // the checks have run to their end
	at     time.Time // when they began, or ended
	rows   []checkRow
	board  *checks.Board // of the probes, below the rows
	zone   zoneCheck
	popups components.Popups

	selected      int  // a row
	probeSelected bool // a row of the board is selected instead
	userSelected  bool // by the operator
}

type checkRow struct {
	wizard.CheckState
	began, ended time.Time
	warning      bool // a problem that does not block
}

type (
	checkStateMsg struct {
		generation int
		state      wizard.CheckState
	}
	checksEndedMsg struct {
		generation int
		err        error
	}
)

// NewChecks returns the page of the checks.
func NewChecks(t *page.Context) *Checks {
	vantages := []string{reach.Workstation}
	if t.Interview.CheckFromZone != nil {
		vantages = append(vantages, reach.Zone)
	}
	return &Checks{session: t, keys: components.NewDocumentKeys(), board: checks.NewBoard(vantages, t.ASCII)}
}

// Open runs the checks, unless their results are about the present answers.
func (p *Checks) Open() tea.Cmd {
	if !p.isCurrent() && !p.running {
		p.startChecks()
	}
	return nil
}

// Close cancels the checks; the operator cannot go on before all have passed.
func (p *Checks) Close() bool {
	ok := p.hasPassed()
	if p.popups.Open = nil; p.running {
		p.stop()
		p.board.ClearRunning(localColumn)
	}
	if p.zone.running {
		p.zone.stop()
		p.board.ClearRunning(zoneColumn)
	}
	return ok
}

func (p *Checks) isCurrent() bool { return p.known && reflect.DeepEqual(p.spec, p.session.Spec()) }

func (p *Checks) startChecks() {
	p.rows, p.selected, p.probeSelected, p.userSelected = nil, 0, false, false
	p.known, p.at = false, p.session.Now()
	p.resetBoard()
	talk := p.session
	p.begin(talk, func(ctx context.Context, turn int, spec state.Spec, secrets wizard.Secrets) tea.Msg {
		err := talk.Interview.Check(ctx, spec, secrets, func(s wizard.CheckState) { talk.Send(checkStateMsg{turn, s}) })
		return checksEndedMsg{turn, err}
	})
}

// Update handles keys, and what a run of checks reports.
func (p *Checks) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case checkStateMsg:
		if m.generation == p.generation && p.running {
			p.handleState(m.state)
		}
	case checksEndedMsg:
		if m.generation == p.generation && p.running {
			p.handleEnd(m.err)
		}
	case zoneStateMsg:
		if m.generation == p.zone.generation && p.zone.running {
			p.handleProbeResult(m.state)
		}
	case zoneEndedMsg:
		zoneRunner{p}.handleZoneEnd(m)
	case tea.KeyMsg:
		return p.handleKey(m)
	}
	return nil
}

func (p *Checks) handleState(s wizard.CheckState) {
	if s.Reach != nil {
		p.handleProbeResult(s)
		return
	}
	s = sanitizeCheckState(s, p.session.ASCII)
	i := slices.IndexFunc(p.rows, func(row checkRow) bool { return row.ID == s.ID })
	if i < 0 {
		i = len(p.rows)
		p.rows = append(p.rows, checkRow{})
	}
	row := &p.rows[i]
	row.CheckState = s
	switch {
	case s.State == provisioner.Started && row.began.IsZero():
		row.began = p.session.Now()
	case isEndState(s.State):
		row.ended = p.session.Now()
	}
	p.selectMostUrgent()
}

// selectMostUrgent keeps a selection that the operator made.
func (p *Checks) selectMostUrgent() {
	if p.userSelected {
		return
	}
	p.selected, p.board.Selected, p.board.CachedList = p.findMostUrgent(), "", nil
	fails := p.selected < len(p.rows) && p.rows[p.selected].State == provisioner.Failed
	p.probeSelected = !fails && p.board.CountFindings() > 0 || fails && p.rows[p.selected].ID == stepReachability && p.board.HasFailed()
}

// StepReachability is the step of the recipe that fails if one of the services is unreachable.
const stepReachability = "reachability"

func isEndState(state string) bool {
	return state == provisioner.Done || state == provisioner.Failed || state == provisioner.Skipped
}

// handleEnd handles the overall result; its error is shown only if no check reported one.
func (p *Checks) handleEnd(err error) {
	p.running, p.known, p.cancel, p.at = false, true, nil, p.session.Now()
	failed := slices.ContainsFunc(p.rows, func(row checkRow) bool { return row.State == provisioner.Failed })
	if err != nil && !failed {
		p.handleState(wizard.CheckState{
			Title: "Run the checks", State: provisioner.Failed, Text: err.Error(), Hint: fault.HintOf(err), Field: fault.FieldOf(err),
		})
	}
	p.board.ClearRunning(localColumn)
	p.board.MarkAbsent(localColumn)
	if p.computeStatus() == theme.OK && !p.userSelected {
		p.selected, p.probeSelected = 0, p.board.CountFindings() > 0
	}
}

func sanitizeCheckState(s wizard.CheckState, ascii bool) wizard.CheckState {
	for _, text := range []*string{&s.ID, &s.Title, &s.State, &s.Text} {
		*text = cells.SanitizeText(*text, ascii)
	}
	s.Hint = cells.SanitizeLines(s.Hint, ascii)
	return s
}

// findMostUrgent returns the first row that failed, or the last one that runs, or the last one that ended.
func (p *Checks) findMostUrgent() int {
	running, last := -1, -1
	for i, row := range p.rows {
		switch {
		case row.State == provisioner.Failed:
			return i
		case row.State != "" && !isEndState(row.State):
			running = i
		case isEndState(row.State):
			last = i
		}
	}
	if running >= 0 {
		return running
	}
	return max(last, 0)
}

func (p *Checks) hasPassed() bool { return p.isCurrent() && p.computeStatus() == theme.OK }

func (p *Checks) computeStatus() theme.Status {
	switch {
	case slices.ContainsFunc(p.rows, func(row checkRow) bool { return row.State == provisioner.Failed }), p.board.HasFailed():
		return theme.Failed
	case p.running, p.zone.running:
		return theme.Running
	case p.known:
		return theme.OK
	}
	return theme.Waiting
}

// Mark returns the status of the checks; results for other answers do not count.
func (p *Checks) Mark() theme.Status {
	if !p.running && !p.isCurrent() {
		return theme.Waiting
	}
	if status := p.computeStatus(); status != theme.OK || p.board.CountFindings() == 0 {
		return status
	}
	return theme.Warn
}

func (p *Checks) handleProbeResult(s wizard.CheckState) {
	check, result := s.Reach.Check, s.Reach.Result
	column := max(p.board.FindColumn(result.Source), localColumn)
	if result.Source != "" && p.board.FindColumn(result.Source) < 0 {
		return
	}
	row := p.board.ByID[check.ID]
	if row == nil || check.URL != "" {
		row = p.board.Add(check)
	}
	if result.Verdict != "" {
		if result.ID == "" {
			result.ID = check.ID
		}
		p.board.RecordResult(column, result, p.session.Now())
	} else if s.State != "" {
		row.Results[column].Status = mapCheckState(s.State)
	}
	p.selectMostUrgent()
}

// resetBoard drops the results for other answers; those for the present answers stay until newer ones replace them.
func (p *Checks) resetBoard() {
	if !p.zone.running && !(zoneRunner{p}).isZoneCurrent() && len(p.board.Sources) > zoneColumn {
		p.board.ClearSource(zoneColumn)
		p.zone.known = false
	}
	kept := p.board
	p.board = checks.NewBoard(kept.Sources, p.session.ASCII)
	p.board.Source, p.board.ShowAll, p.board.Log = kept.Source, kept.ShowAll, kept.Log
	for _, row := range kept.Rows {
		if len(kept.Sources) > zoneColumn && row.Results[zoneColumn].Status != theme.Waiting {
			again := p.board.Add(row.Reported)
			again.Results[zoneColumn], again.ReportedResults[zoneColumn] = row.Results[zoneColumn], row.ReportedResults[zoneColumn]
		}
	}
}

// View draws the checks.
func (p *Checks) View(width, height int) string {
	if p.popups.Open != nil {
		return p.popups.Open.View(width, height)
	}
	return checksView{p}.buildChecks().View(width, height)
}

// InputMode is read-only unless a popup is open: the page has no fields.
func (p *Checks) InputMode() page.InputMode {
	if p.popups.Open != nil {
		return page.ModeCapture
	}
	return page.ModeReadOnly
}

// IsFullWidth returns true: the page explains its selection itself.
func (p *Checks) IsFullWidth() bool { return true }
