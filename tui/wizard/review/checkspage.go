// Package review is the last two pages of an interview: the checks before an installation, and the review of what it would do.
package review

import (
	"slices"
	"strconv"
	"strings"

	"exoshift/provisioner"
	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/checks"
	"exoshift/tui/components"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/reach"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// Checks shows the preflight checks.
type Checks struct {
	session *page.Context
	keys    components.DocumentKeys
	runs    *session.CheckRuns

	board  *checks.Board // of the probes, below the steps
	popups components.Popups

	filtering bool // the filter of the board is being edited

	selected      int  // a step
	probeSelected bool // a row of the board is selected instead
	userSelected  bool // by the operator
}

const (
	localColumn = 0
	zoneColumn  = 1
)

// NewChecks returns the page of the checks.
func NewChecks(t *page.Context) *Checks {
	vantages := []string{reach.Workstation}
	if t.Interview.CheckFromZone != nil {
		vantages = append(vantages, reach.Zone)
	}
	return &Checks{session: t, runs: t.Checks, keys: components.NewDocumentKeys(), board: checks.NewBoard(vantages, t.ASCII)}
}

// Open runs the checks, unless their results are about the present answers.
func (p *Checks) Open() tea.Cmd {
	if !p.runs.Local.IsCurrent() && !p.runs.Local.IsRunning() {
		p.startChecks()
	}
	return nil
}

// Close cancels the checks; the operator cannot go on before all have passed.
func (p *Checks) Close() bool {
	passed := p.runs.HavePassed()
	p.runs.Stop()
	p.popups.Open, p.filtering = nil, false
	p.board.Filter.Clear()
	p.board.CachedList = nil
	for column := range p.board.Sources {
		p.board.ClearRunning(column)
	}
	return passed
}

func (p *Checks) startChecks() {
	p.selected, p.probeSelected, p.userSelected = 0, false, false
	work := p.runs.StartLocal(session.CheckEvents{Changed: p.handleState, Ended: p.handleEnd})
	p.resetBoard()
	p.session.RunWork(work)
}

// A confirmation is required: a machine is started in the zone.
func (p *Checks) requestZoneCheck() {
	why, ok := p.runs.CanCheckZone()
	switch {
	case why != "":
		checkPopups{p}.showNotice(why)
		return
	case !ok:
		return
	}
	p.popups.Open = &components.Dialog{
		Theme: p.session.Theme, Title: "Check from the zone?", Text: cells.SanitizeText(p.runs.ZoneTerms(), p.session.ASCII),
		Back: "cancel", Accept: "yes, check from there", OnAccept: func() tea.Cmd { p.startZoneCheck(); return nil },
	}
}

func (p *Checks) startZoneCheck() {
	p.userSelected = false
	p.board.ClearSource(zoneColumn)
	p.board.MarkRunning(zoneColumn, nil)
	p.board.Source = zoneColumn
	p.session.RunWork(p.runs.StartZone(session.CheckEvents{Changed: p.handleState, Ended: p.handleZoneEnd}))
	p.selectMostUrgent()
}

func (p *Checks) handleZoneEnd() {
	if p.board.ClearRunning(zoneColumn); p.runs.Zone.IsKnown() {
		p.board.MarkAbsent(zoneColumn)
		p.board.MarkAbsent(localColumn)
	}
	p.selectMostUrgent()
}

// Update handles keys and clicks.
func (p *Checks) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.KeyMsg:
		return p.handleKey(m)
	case app.ClickMsg:
		p.handleClick(m.Target)
	}
	return nil
}

// handleClick selects a row; a service that is selected already is explained.
func (p *Checks) handleClick(target string) {
	at := -1
	if number, is := strings.CutPrefix(target, preflight.CheckTarget); is {
		at, _ = strconv.Atoi(number)
	}
	if id, is := strings.CutPrefix(target, preflight.EndpointTarget); is {
		rows := p.board.GetList().Rows
		if i := slices.IndexFunc(rows, func(e *preflight.Endpoint) bool { return e.Check.ID == id }); i >= 0 {
			at = len(p.runs.Steps()) + i
		}
	}
	if at < 0 || p.popups.Open != nil {
		return
	}
	again := at == p.selectedIndex()
	if p.selectIndex(at); again {
		if row := p.selectedProbe(); row != nil {
			checkPopups{p}.openDetails()
		}
	}
}

func (p *Checks) handleState(s wizard.CheckState, _ bool) {
	if s.Reach != nil {
		p.handleProbeResult(s)
	}
	p.selectMostUrgent()
}

// listSteps returns the checks other than those of connectivity, sanitized.
func (p *Checks) listSteps() []session.CheckStep {
	steps := p.runs.Steps()
	for i := range steps {
		steps[i].CheckState = sanitizeCheckState(steps[i].CheckState, p.session.ASCII)
	}
	return steps
}

// selectMostUrgent keeps a selection that the operator made.
func (p *Checks) selectMostUrgent() {
	if p.userSelected {
		return
	}
	steps := p.runs.Steps()
	p.selected, p.board.Selected, p.board.CachedList = findMostUrgent(steps), "", nil
	fails := p.selected < len(steps) && steps[p.selected].State == provisioner.Failed
	p.probeSelected = !fails && p.board.CountFindings() > 0 || fails && steps[p.selected].ID == stepReachability && p.board.HasFailed()
}

// StepReachability is the step of the recipe that fails if one of the services is unreachable.
const stepReachability = "reachability"

func (p *Checks) handleEnd() {
	p.board.ClearRunning(localColumn)
	p.board.MarkAbsent(localColumn)
	if p.selectMostUrgent(); p.computeStatus() == theme.OK && !p.userSelected {
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

// findMostUrgent returns the first step that failed, or the last one that runs, or the last one that ended.
func findMostUrgent(steps []session.CheckStep) int {
	running, last := -1, -1
	for i, step := range steps {
		switch {
		case step.State == provisioner.Failed:
			return i
		case session.HasEnded(step.CheckState):
			last = i
		case step.State != "":
			running = i
		}
	}
	if running >= 0 {
		return running
	}
	return max(last, 0)
}

func (p *Checks) computeStatus() theme.Status {
	switch {
	case p.runs.HasFailed():
		return theme.Failed
	case p.runs.IsRunning():
		return theme.Running
	case p.runs.Local.IsKnown():
		return theme.OK
	}
	return theme.Waiting
}

// Mark returns the status of the checks; results for other answers do not count.
func (p *Checks) Mark() theme.Status {
	if !p.runs.Local.IsRunning() && !p.runs.Local.IsCurrent() {
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
}

// resetBoard drops the results for other answers; those for the present answers stay until newer ones replace them.
func (p *Checks) resetBoard() {
	if !p.runs.Zone.IsRunning() && !p.runs.Zone.IsCurrent() && len(p.board.Sources) > zoneColumn {
		p.board.ClearSource(zoneColumn)
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

// InputMode is read-only unless a popup is open, or esc has a filter to clear: the page has no fields.
func (p *Checks) InputMode() page.InputMode {
	if p.popups.Open != nil || p.filtering || p.board.Filter.Word() != "" {
		return page.ModeCapture
	}
	return page.ModeReadOnly
}

// IsFullWidth returns true: the page explains its selection itself.
func (p *Checks) IsFullWidth() bool { return true }
