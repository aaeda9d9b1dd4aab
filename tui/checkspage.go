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

	"github.com/charmbracelet/bubbles/key"
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

	selected int
	chosen   bool // by the operator
}

// checkRow is one check as it was told last.
type checkRow struct {
	wizard.CheckState
	began, ended time.Time
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

func newChecksPage(t *talk) *checksPage { return &checksPage{talk: t, keys: newDocumentKeys()} }

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
	if p.running {
		p.stop()
	}
	return ok
}

// current tells whether there are results that are about the answers as they are.
func (p *checksPage) current() bool { return p.known && reflect.DeepEqual(p.spec, p.talk.spec()) }

// run begins all checks anew.
func (p *checksPage) run() {
	p.rows, p.selected, p.chosen = nil, 0, false
	p.known, p.at = false, p.talk.now()
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
	case tea.KeyMsg:
		p.press(m)
	}
	return nil
}

func (p *checksPage) hear(s wizard.CheckState) {
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
	if !p.chosen {
		p.selected = p.urgent()
	}
}

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
	if p.status() == pane.OK && !p.chosen {
		p.selected = 0
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
	case slices.ContainsFunc(p.rows, func(row checkRow) bool { return row.State == provisioner.Failed }):
		return pane.Failed
	case p.running:
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
	return p.status()
}

func (p *checksPage) press(k tea.KeyMsg) {
	switch {
	case key.Matches(k, p.keys.Again):
		p.run()
	case key.Matches(k, p.keys.Accept):
		p.accept()
	case key.Matches(k, p.keys.Up):
		p.choose(p.selected - 1)
	case key.Matches(k, p.keys.Down):
		p.choose(p.selected + 1)
	case key.Matches(k, p.keys.Home):
		p.choose(0)
	case key.Matches(k, p.keys.End):
		p.choose(len(p.rows) - 1)
	}
}

func (p *checksPage) choose(row int) {
	p.selected, p.chosen = min(max(row, 0), max(len(p.rows)-1, 0)), true
}

// accept goes on if all is well, and to what has to be changed otherwise.
func (p *checksPage) accept() {
	switch {
	case p.well():
		p.talk.ahead()
	case p.selected < len(p.rows) && p.rows[p.selected].State == provisioner.Failed:
		if field, known := wayOut(p.rows[p.selected].Field, p.spec); known {
			p.talk.goTo(field.Key)
		}
	case p.status() == pane.Failed:
		p.choose(p.urgent())
	}
}
