package checks

import (
	"context"
	"errors"
	"slices"
	"time"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// runner runs the checks of a board from its sources, and repeats those of the first one while it watches.
type runner struct {
	options Options
	board   *Board
	runs    []checkRun // by source
	spawn   app.Spawn
	send    func(tea.Msg)
	later   app.Later

	watching        bool
	nextRun         time.Time // when the next full run starts
	watchGeneration int       // counts the times that watching was turned on
	ticking         bool
	progress        string // of a run without results yet
	ending          bool   // the screen closes once nothing runs
}

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

func newRunner(c Options, board *Board) *runner {
	return &runner{
		options: c, board: board, runs: make([]checkRun, len(c.Sources)), watching: c.Watch,
		spawn: app.NewSpawn(context.Background()), send: func(tea.Msg) {}, later: app.SendLater,
	}
}

func (r *runner) isRunning() bool {
	return slices.ContainsFunc(r.runs, func(run checkRun) bool { return run.running })
}

func (r *runner) start(source int, ids []string) tea.Cmd {
	run := &r.runs[source]
	run.generation++
	run.running, run.since, run.err = true, r.options.Now(), nil
	r.board.MarkRunning(source, ids)
	if source != 0 {
		r.board.Source = source
	}
	generation, name, check, send := run.generation, r.options.Sources[source], r.options.Run, r.send
	cmd, cancel := r.spawn(func(ctx context.Context) tea.Msg {
		err := check(ctx, name, ids, func(result reach.Result) { send(probeResultMsg{source, generation, result}) })
		return runEndedMsg{source, generation, ids == nil, err}
	})
	run.cancel = cancel
	return tea.Batch(cmd, r.scheduleTick())
}

func (r *runner) record(m probeResultMsg) {
	if run := r.runs[m.source]; run.running && run.generation == m.generation {
		r.board.RecordResult(m.source, m.result, r.options.Now())
	}
}

// finish handles the end of a run; failed reports whether it is to be shown why.
func (r *runner) finish(m runEndedMsg) (cmd tea.Cmd, failed bool) {
	run := &r.runs[m.source]
	if m.generation != run.generation {
		return nil, false
	}
	run.running, run.cancel = false, nil
	r.board.ClearRunning(m.source)
	if failed = m.err != nil && !errors.Is(m.err, context.Canceled); failed {
		run.err = m.err
	}
	if m.whole && m.err == nil {
		run.completed, run.began, run.took = true, run.since, r.options.Now().Sub(run.since)
		r.board.MarkAbsent(m.source)
	}
	switch {
	case r.ending && !r.isRunning():
		return tea.Quit, failed
	case m.source == 0 && m.whole && r.watching:
		return r.scheduleWatch(), failed
	}
	return nil, failed
}

// end cancels all runs, and ends the screen once they have ended, or at once if it is called again.
func (r *runner) end() tea.Cmd {
	for _, run := range r.runs {
		if run.cancel != nil {
			run.cancel()
		}
	}
	if !r.isRunning() || r.ending {
		return tea.Quit
	}
	r.ending = true
	return nil
}

func (r *runner) scheduleWatch() tea.Cmd {
	r.watchGeneration++
	r.nextRun = r.options.Now().Add(watchPause)
	return tea.Batch(r.later(watchPause, watchDueMsg{r.watchGeneration}), r.scheduleTick())
}

func (r *runner) toggleWatch() tea.Cmd {
	if r.watching = !r.watching; !r.watching || len(r.runs) == 0 {
		r.watchGeneration++
		return nil
	}
	if r.runs[0].running {
		return nil
	}
	return r.start(0, nil)
}

func (r *runner) handleWatchDue(m watchDueMsg) tea.Cmd {
	if m.generation != r.watchGeneration || !r.watching || r.ending || len(r.runs) == 0 || r.runs[0].running {
		return nil
	}
	return r.start(0, nil)
}

// scheduleTick redraws counters every second, as long as there are any.
func (r *runner) scheduleTick() tea.Cmd {
	if r.ticking {
		return nil
	}
	r.ticking = true
	return r.later(time.Second, app.TickMsg{})
}

func (r *runner) handleTick() tea.Cmd {
	r.progress = ""
	for i, run := range r.runs {
		if run.running && r.options.Progress != nil {
			r.progress = cells.SanitizeText(r.options.Progress(r.options.Sources[i]), r.options.ASCII)
		}
	}
	if r.ticking = false; r.isRunning() || r.watching {
		return r.scheduleTick()
	}
	return nil
}

// buildReport returns all results. Time and duration are those of the latest full run.
func (r *runner) buildReport() reach.Report {
	report := reach.Report{V: reach.Version, Results: r.board.ListResults()}
	for _, run := range r.runs {
		if run.began.After(report.Started) {
			report.Started = run.began
		}
		report.TookMS += run.took.Milliseconds()
	}
	report.Started = report.Started.UTC().Truncate(time.Millisecond)
	return report
}
