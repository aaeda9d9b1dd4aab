package tui

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
	"exoshift/wizard"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// checksPage runs the preflight checks in the background and shows their results.
type checksPage struct {
	session *pageContext
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

func newChecksPage(t *pageContext) *checksPage {
	vantages := []string{reach.Workstation}
	if t.Interview.CheckFromZone != nil {
		vantages = append(vantages, reach.Zone)
	}
	return &checksPage{session: t, keys: components.NewDocumentKeys(), board: checks.NewBoard(vantages, t.ascii)}
}

// Open runs the checks, unless their results are about the present answers.
func (p *checksPage) Open() tea.Cmd {
	if !p.isCurrent() && !p.running {
		p.startChecks()
	}
	return nil
}

// Close cancels the checks; the operator cannot go on before all have passed.
func (p *checksPage) Close() bool {
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

func (p *checksPage) isCurrent() bool { return p.known && reflect.DeepEqual(p.spec, p.session.Spec()) }

func (p *checksPage) startChecks() {
	p.rows, p.selected, p.probeSelected, p.userSelected = nil, 0, false, false
	p.known, p.at = false, p.session.now()
	p.resetBoard()
	talk := p.session
	p.begin(talk, func(ctx context.Context, turn int, spec state.Spec, secrets wizard.Secrets) tea.Msg {
		err := talk.Interview.Check(ctx, spec, secrets, func(s wizard.CheckState) { talk.send(checkStateMsg{turn, s}) })
		return checksEndedMsg{turn, err}
	})
}

func (p *checksPage) Update(message tea.Msg) tea.Cmd {
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

func (p *checksPage) handleState(s wizard.CheckState) {
	if s.Reach != nil {
		p.handleProbeResult(s)
		return
	}
	s = sanitizeCheckState(s, p.session.ascii)
	i := slices.IndexFunc(p.rows, func(row checkRow) bool { return row.ID == s.ID })
	if i < 0 {
		i = len(p.rows)
		p.rows = append(p.rows, checkRow{})
	}
	row := &p.rows[i]
	row.CheckState = s
	switch {
	case s.State == provisioner.Started && row.began.IsZero():
		row.began = p.session.now()
	case isEndState(s.State):
		row.ended = p.session.now()
	}
	p.selectMostUrgent()
}

// selectMostUrgent keeps a selection that the operator made.
func (p *checksPage) selectMostUrgent() {
	if p.userSelected {
		return
	}
	p.selected, p.board.Selected, p.board.CachedList = p.findMostUrgent(), "", nil
	fails := p.selected < len(p.rows) && p.rows[p.selected].State == provisioner.Failed
	p.probeSelected = !fails && p.board.CountFindings() > 0 || fails && p.rows[p.selected].ID == stepReachability && p.board.HasFailed()
}

// stepReachability is the step of the recipe that fails if one of the services is unreachable.
const stepReachability = "reachability"

func isEndState(state string) bool {
	return state == provisioner.Done || state == provisioner.Failed || state == provisioner.Skipped
}

// handleEnd handles the overall result; its error is shown only if no check reported one.
func (p *checksPage) handleEnd(err error) {
	p.running, p.known, p.cancel, p.at = false, true, nil, p.session.now()
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
func (p *checksPage) findMostUrgent() int {
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

func (p *checksPage) hasPassed() bool { return p.isCurrent() && p.computeStatus() == theme.OK }

func (p *checksPage) computeStatus() theme.Status {
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
func (p *checksPage) Mark() theme.Status {
	if !p.running && !p.isCurrent() {
		return theme.Waiting
	}
	if status := p.computeStatus(); status != theme.OK || p.board.CountFindings() == 0 {
		return status
	}
	return theme.Warn
}

func (p *checksPage) handleProbeResult(s wizard.CheckState) {
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
		p.board.RecordResult(column, result, p.session.now())
	} else if s.State != "" {
		row.Results[column].Status = mapCheckState(s.State)
	}
	p.selectMostUrgent()
}

// resetBoard drops the results for other answers; those for the present answers stay until newer ones replace them.
func (p *checksPage) resetBoard() {
	if !p.zone.running && !(zoneRunner{p}).isZoneCurrent() && len(p.board.Sources) > zoneColumn {
		p.board.ClearSource(zoneColumn)
		p.zone.known = false
	}
	kept := p.board
	p.board = checks.NewBoard(kept.Sources, p.session.ascii)
	p.board.Source, p.board.ShowAll, p.board.Log = kept.Source, kept.ShowAll, kept.Log
	for _, row := range kept.Rows {
		if len(kept.Sources) > zoneColumn && row.Results[zoneColumn].Status != theme.Waiting {
			again := p.board.Add(row.Reported)
			again.Results[zoneColumn], again.ReportedResults[zoneColumn] = row.Results[zoneColumn], row.ReportedResults[zoneColumn]
		}
	}
}

// View draws the checks.
func (p *checksPage) View(width, height int) string {
	if p.popups.Open != nil {
		return p.popups.Open.View(width, height)
	}
	return checksView{p}.buildChecks().View(width, height)
}

// InputMode is read-only unless a popup is open: the page has no fields.
func (p *checksPage) InputMode() inputMode {
	if p.popups.Open != nil {
		return modeCapture
	}
	return modeReadOnly
}

// IsFullWidth returns true: the page explains its selection itself.
func (p *checksPage) IsFullWidth() bool { return true }
