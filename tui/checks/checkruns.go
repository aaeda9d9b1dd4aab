package checks

import (
	"context"
	"errors"
	"time"

	"exoshift/internal/fault"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// checkRun is the current run from one source, and the result of its last full run.
type checkRun struct {
	running    bool
	cancel     context.CancelFunc
	since      time.Time // start of the current run
	generation int       // counts the runs
	completed  bool      // at least one full run has ended
	began      time.Time
	took       time.Duration
	err        error // why the last full run failed
}

type (
	probeResultMsg struct {
		source, generation int
		result             reach.Result
	}
	runEndedMsg struct {
		source, generation int
		whole              bool
		err                error
	}
	watchDueMsg struct{ generation int }
)

// watchPause is the time between two full runs while watching.
const watchPause = 30 * time.Second

// requestRun starts a run, after the operator accepts the estimate if the source has one.
func (s *checkScreen) requestRun(vantage int, ids []string) tea.Cmd {
	if vantage < 0 || vantage >= len(s.runs) || s.leaving {
		return nil
	}
	where := preflight.DescribeSource(s.board.sourceNames[vantage])
	if s.runs[vantage].running {
		s.notice = "a run from " + where + " is under way already"
		return nil
	}
	terms := cells.SanitizeText(s.options.Estimate(s.options.Sources[vantage]), s.options.ASCII)
	if terms == "" {
		return s.startRun(vantage, ids)
	}
	s.popups.Open = &components.Dialog{
		Theme: s.theme, Title: "Look from " + where + "?", Text: terms, Back: "go back", Accept: "yes, look from there",
		OnAccept: func() tea.Cmd { return s.startRun(vantage, ids) },
	}
	return nil
}

func (s *checkScreen) startRun(vantage int, ids []string) tea.Cmd {
	run := &s.runs[vantage]
	run.generation++
	run.running, run.since, run.err = true, s.options.Now(), nil
	s.board.MarkRunning(vantage, ids)
	if vantage != 0 {
		s.board.Source = vantage
	}
	turn, name, check, send := run.generation, s.options.Sources[vantage], s.options.Run, s.send
	cmd, cancel := s.spawn(func(ctx context.Context) tea.Msg {
		err := check(ctx, name, ids, func(r reach.Result) { send(probeResultMsg{vantage, turn, r}) })
		return runEndedMsg{vantage, turn, ids == nil, err}
	})
	run.cancel = cancel
	return tea.Batch(cmd, s.scheduleTick())
}

func (s *checkScreen) handleProbeResult(m probeResultMsg) {
	if run := s.runs[m.source]; run.running && run.generation == m.generation {
		s.board.RecordResult(m.source, m.result, s.options.Now())
	}
}

func (s *checkScreen) handleRunEnd(m runEndedMsg) tea.Cmd {
	run := &s.runs[m.source]
	if m.generation != run.generation {
		return nil
	}
	run.running, run.cancel = false, nil
	if m.whole && m.err == nil {
		run.completed, run.began, run.took = true, run.since, s.options.Now().Sub(run.since)
	}
	if s.board.ClearRunning(m.source); m.err != nil && !errors.Is(m.err, context.Canceled) {
		run.err = m.err
		s.openFailure(m.source, m.err)
	}
	if m.whole && m.err == nil {
		s.board.MarkAbsent(m.source)
	}
	if s.leaving && !s.isRunning() {
		return tea.Quit
	}
	if m.source == 0 && m.whole && s.watching {
		return s.scheduleWatch()
	}
	return nil
}

func (s *checkScreen) openFailure(vantage int, err error) {
	if s.popups.Open != nil {
		s.setNotice(theme.Failed, err.Error()+fault.FormatHint(err))
		return
	}
	s.popups.Open = s.newTextPopup(theme.Failed, "It could not be looked from "+preflight.DescribeSource(s.board.sourceNames[vantage]), err.Error(), fault.HintOf(err))
}

func (s *checkScreen) newTextPopup(status theme.Status, title string, paragraphs ...string) components.Popup {
	t := s.theme
	return &components.TextPopup{Theme: t, Lines: func(width int) []string {
		lines := []string{"", " " + t.Mark(status) + " " + t.Bold.Render(title)}
		for _, paragraph := range paragraphs {
			if text := cells.SanitizeLines(paragraph, s.options.ASCII); text != "" {
				lines = append(append(lines, ""), cells.Wrap(text, " ", width)...)
			}
		}
		return lines
	}}
}

func (s *checkScreen) scheduleWatch() tea.Cmd {
	s.watchGeneration++
	s.nextRun = s.options.Now().Add(watchPause)
	return tea.Batch(s.later(watchPause, watchDueMsg{s.watchGeneration}), s.scheduleTick())
}

func (s *checkScreen) toggleWatch() tea.Cmd {
	if s.watching = !s.watching; !s.watching || len(s.runs) == 0 {
		s.watchGeneration++
		return nil
	}
	if s.runs[0].running {
		return nil
	}
	return s.startRun(0, nil)
}

func (s *checkScreen) handleWatchDue(m watchDueMsg) tea.Cmd {
	if m.generation != s.watchGeneration || !s.watching || s.leaving || len(s.runs) == 0 || s.runs[0].running {
		return nil
	}
	return s.startRun(0, nil)
}

func (s *checkScreen) cancelAndQuit() tea.Cmd {
	for _, run := range s.runs {
		if run.cancel != nil {
			run.cancel()
		}
	}
	if s.popups.Open, s.filtering = nil, false; !s.isRunning() || s.leaving {
		return tea.Quit
	}
	s.leaving = true
	return nil
}
