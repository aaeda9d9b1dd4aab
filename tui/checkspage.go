package tui

import (
	"context"
	"reflect"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/pane"
	"exoshift/wizard"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// checksPage runs what is looked at before an installation, in the background, and tells what came of it.
type checksPage struct {
	talk *talk
	keys documentKeys

	attempt
	known bool      // the checks ran to their end
	at    time.Time // when they began, or ended
	rows  []checkRow
	board *reachBoard // of what is probed, below the rows
	zone  zoneLook
	popup popup // nil while none is open

	selected int  // a row
	probes   bool // a row of the board is selected instead
	chosen   bool // by the operator
}

// checkRow is one check as it was told last.
type checkRow struct {
	wizard.CheckState
	began, ended time.Time
	warns        bool // it is not as it should be, and blocks nothing
}

// How checks go on.
type (
	checkTold struct {
		turn  int
		state wizard.CheckState
	}
	checksEnded struct {
		turn int
		err  error
	}
)

func newChecksPage(t *talk) *checksPage {
	vantages := []string{reach.Workstation}
	if t.interview.CheckFromZone != nil {
		vantages = append(vantages, reach.Zone)
	}
	return &checksPage{talk: t, keys: newDocumentKeys(), board: newReachBoard(vantages, t.ascii)}
}

// Enter runs the checks, unless their results are about these answers.
func (p *checksPage) Enter() tea.Cmd {
	if !p.current() && !p.running {
		p.run()
	}
	return nil
}

// Leave ends what goes on; nobody goes ahead before everything is well.
func (p *checksPage) Leave() bool {
	ok := p.well()
	if p.popup = nil; p.running {
		p.stop()
		p.board.settle(hereColumn)
	}
	if p.zone.running {
		p.zone.stop()
		p.board.settle(zoneColumn)
	}
	return ok
}

// current tells whether there are results that are about the answers as they are.
func (p *checksPage) current() bool { return p.known && reflect.DeepEqual(p.spec, p.talk.spec()) }

// run begins all checks anew.
func (p *checksPage) run() {
	p.rows, p.selected, p.probes, p.chosen = nil, 0, false, false
	p.known, p.at = false, p.talk.now()
	p.renew()
	talk := p.talk
	p.begin(talk, func(ctx context.Context, turn int, spec state.Spec, secrets wizard.Secrets) tea.Msg {
		err := talk.interview.Check(ctx, spec, secrets, func(s wizard.CheckState) { talk.send(checkTold{turn, s}) })
		return checksEnded{turn, err}
	})
}

func (p *checksPage) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case checkTold:
		if m.turn == p.turn && p.running {
			p.hear(m.state)
		}
	case checksEnded:
		if m.turn == p.turn && p.running {
			p.end(m.err)
		}
	case zoneTold:
		if m.turn == p.zone.turn && p.zone.running {
			p.hearReach(m.state)
		}
	case zoneEnded:
		p.endZone(m)
	case tea.KeyMsg:
		return p.press(m)
	}
	return nil
}

func (p *checksPage) hear(s wizard.CheckState) {
	if s.Reach != nil {
		p.hearReach(s)
		return
	}
	s = cleanCheck(s, p.talk.ascii)
	i := slices.IndexFunc(p.rows, func(row checkRow) bool { return row.ID == s.ID })
	if i < 0 {
		i = len(p.rows)
		p.rows = append(p.rows, checkRow{})
	}
	row := &p.rows[i]
	row.CheckState = s
	switch {
	case s.State == provisioner.Started && row.began.IsZero():
		row.began = p.talk.now()
	case ended(s.State):
		row.ended = p.talk.now()
	}
	p.lead()
}

// lead selects what needs attention most, unless the operator chose something.
func (p *checksPage) lead() {
	if p.chosen {
		return
	}
	p.selected, p.board.selected, p.board.choice = p.urgent(), "", nil
	fails := p.selected < len(p.rows) && p.rows[p.selected].State == provisioner.Failed
	p.probes = !fails && p.board.findings() > 0 || fails && p.rows[p.selected].ID == stepReachability && p.board.failed()
}

// stepReachability is the step of the recipe that fails if one of the services does.
const stepReachability = "reachability"

func ended(state string) bool {
	return state == provisioner.Done || state == provisioner.Failed || state == provisioner.Skipped
}

// end takes in how the checks ended as a whole, which is news only if none of them told.
func (p *checksPage) end(err error) {
	p.running, p.known, p.cancel, p.at = false, true, nil, p.talk.now()
	failed := slices.ContainsFunc(p.rows, func(row checkRow) bool { return row.State == provisioner.Failed })
	if err != nil && !failed {
		p.hear(wizard.CheckState{
			Title: "Run the checks", State: provisioner.Failed, Text: err.Error(), Hint: fault.HintOf(err), Field: fault.FieldOf(err),
		})
	}
	p.board.settle(hereColumn)
	p.board.exempt(hereColumn)
	if p.status() == pane.OK && !p.chosen {
		p.selected, p.probes = 0, p.board.findings() > 0
	}
}

func cleanCheck(s wizard.CheckState, ascii bool) wizard.CheckState {
	for _, text := range []*string{&s.ID, &s.Title, &s.State, &s.Text} {
		*text = cleanText(*text, ascii)
	}
	s.Hint = cleanLines(s.Hint, ascii)
	return s
}

// urgent is the row to look at: the first that failed, or the last one that runs, or the last that ended.
func (p *checksPage) urgent() int {
	running, last := -1, -1
	for i, row := range p.rows {
		switch {
		case row.State == provisioner.Failed:
			return i
		case row.State != "" && !ended(row.State):
			running = i
		case ended(row.State):
			last = i
		}
	}
	if running >= 0 {
		return running
	}
	return max(last, 0)
}

// well tells whether all checks ran and none failed.
func (p *checksPage) well() bool { return p.current() && p.status() == pane.OK }

func (p *checksPage) status() pane.Status {
	switch {
	case slices.ContainsFunc(p.rows, func(row checkRow) bool { return row.State == provisioner.Failed }), p.board.failed():
		return pane.Failed
	case p.running, p.zone.running:
		return pane.Running
	case p.known:
		return pane.OK
	}
	return pane.Waiting
}

// Mark is how the checks are; results about other answers say nothing.
func (p *checksPage) Mark() pane.Status {
	if !p.running && !p.current() {
		return pane.Waiting
	}
	if status := p.status(); status != pane.OK || p.board.findings() == 0 {
		return status
	}
	return pane.Warn
}
