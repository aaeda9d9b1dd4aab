package tui

import (
	"context"
	"errors"
	"time"

	"exoshift/internal/fault"
	"exoshift/tui/pane"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// checkRun is what goes on at one vantage, and how the last run of everything there was.
type checkRun struct {
	running bool
	cancel  context.CancelFunc
	since   time.Time // when what goes on began
	turn    int       // counts the runs
	ended   bool      // everything was run at least once
	began   time.Time
	took    time.Duration
	err     error // why the last run did not come to its end
}

// How runs go on.
type (
	probed struct {
		vantage, turn int
		result        reach.Result
	}
	runEnded struct {
		vantage, turn int
		whole         bool
		err           error
	}
	watchDue struct{ watch int }
)

// watchPause is the time between two looks at everything.
const watchPause = 30 * time.Second

// ask begins a run, after a yes to its terms if there are such.
func (s *checkScreen) ask(vantage int, ids []string) tea.Cmd {
	if vantage < 0 || vantage >= len(s.runs) || s.leaving {
		return nil
	}
	where := pane.VantageWords(s.board.names[vantage])
	if s.runs[vantage].running {
		s.notice = "a run from " + where + " is under way already"
		return nil
	}
	terms := cleanText(s.checking.Terms(s.checking.Vantages[vantage]), s.checking.ASCII)
	if terms == "" {
		return s.run(vantage, ids)
	}
	s.popup = &question{
		theme: s.theme, title: "Look from " + where + "?", text: terms, back: "go back", accept: "yes, look from there",
		yes: func() tea.Cmd { return s.run(vantage, ids) },
	}
	return nil
}

// run makes checks in the background.
func (s *checkScreen) run(vantage int, ids []string) tea.Cmd {
	run := &s.runs[vantage]
	run.turn++
	run.running, run.since, run.err = true, s.checking.Now(), nil
	s.board.expect(vantage, ids)
	if vantage != 0 {
		s.board.facing = vantage
	}
	turn, name, check, send := run.turn, s.checking.Vantages[vantage], s.checking.Run, s.send
	cmd, cancel := s.spawn(func(ctx context.Context) tea.Msg {
		err := check(ctx, name, ids, func(r reach.Result) { send(probed{vantage, turn, r}) })
		return runEnded{vantage, turn, ids == nil, err}
	})
	run.cancel = cancel
	return tea.Batch(cmd, s.beatOn())
}

func (s *checkScreen) hearResult(m probed) {
	if run := s.runs[m.vantage]; run.running && run.turn == m.turn {
		s.board.hear(m.vantage, m.result, s.checking.Now())
	}
}

func (s *checkScreen) hearEnd(m runEnded) tea.Cmd {
	run := &s.runs[m.vantage]
	if m.turn != run.turn {
		return nil
	}
	run.running, run.cancel = false, nil
	if m.whole && m.err == nil {
		run.ended, run.began, run.took = true, run.since, s.checking.Now().Sub(run.since)
	}
	if s.board.settle(m.vantage); m.err != nil && !errors.Is(m.err, context.Canceled) {
		run.err = m.err
		s.openFailure(m.vantage, m.err)
	}
	if m.whole && m.err == nil {
		s.board.exempt(m.vantage)
	}
	if s.leaving && !s.busy() {
		return tea.Quit
	}
	if m.vantage == 0 && m.whole && s.watching {
		return s.watchOn()
	}
	return nil
}

// openFailure says why nobody could look from a vantage, unless something else is open.
func (s *checkScreen) openFailure(vantage int, err error) {
	if s.popup != nil {
		s.tell(pane.Failed, err.Error()+hintBehind(err))
		return
	}
	s.popup = s.letter(pane.Failed, "It could not be looked from "+pane.VantageWords(s.board.names[vantage]), err.Error(), fault.HintOf(err))
}

// letter shows paragraphs below a heading.
func (s *checkScreen) letter(status pane.Status, title string, paragraphs ...string) popup {
	t := s.theme
	return &reader{theme: t, lines: func(width int) []string {
		lines := []string{"", " " + t.Mark(status) + " " + t.Bold.Render(title)}
		for _, paragraph := range paragraphs {
			if text := cleanLines(paragraph, s.checking.ASCII); text != "" {
				lines = append(append(lines, ""), pane.Wrap(text, " ", width)...)
			}
		}
		return lines
	}}
}

func hintBehind(err error) string {
	if hint := fault.HintOf(err); hint != "" {
		return "; " + hint
	}
	return ""
}

// watchOn has everything looked at again after a pause.
func (s *checkScreen) watchOn() tea.Cmd {
	s.watch++
	s.due = s.checking.Now().Add(watchPause)
	return tea.Batch(s.later(watchPause, watchDue{s.watch}), s.beatOn())
}

// toggleWatch begins or ends to look at everything time and again from the first vantage.
func (s *checkScreen) toggleWatch() tea.Cmd {
	if s.watching = !s.watching; !s.watching || len(s.runs) == 0 {
		s.watch++
		return nil
	}
	if s.runs[0].running {
		return nil
	}
	return s.run(0, nil)
}

func (s *checkScreen) lookAgain(m watchDue) tea.Cmd {
	if m.watch != s.watch || !s.watching || s.leaving || len(s.runs) == 0 || s.runs[0].running {
		return nil
	}
	return s.run(0, nil)
}

// leave ends the runs that go on, and the screen once they have ended.
func (s *checkScreen) leave() tea.Cmd {
	for _, run := range s.runs {
		if run.cancel != nil {
			run.cancel()
		}
	}
	if s.popup, s.filtering = nil, false; !s.busy() || s.leaving {
		return tea.Quit
	}
	s.leaving = true
	return nil
}
