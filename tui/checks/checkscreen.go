package checks

import (
	"context"
	"slices"
	"time"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

type checkScreen struct {
	options Options
	theme   theme.Theme
	keys    checkKeys
	board   *Board
	runs    []checkRun // by source
	spawn   app.Spawn
	send    func(tea.Msg)
	later   app.Later

	width, height   int
	popups          components.Popups
	filtering       bool // the filter is being edited
	watching        bool
	nextRun         time.Time // when the next full run starts
	watchGeneration int       // counts the times that watching was turned on
	ticking         bool
	notice          string // until the next key
	progress        string // of a run without results yet
	leaving         bool
	panicErr        error // a panic of ours
}

func newCheckScreen(c Options) *checkScreen {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Estimate == nil {
		c.Estimate = func(string) string { return "" }
	}
	c.Title = cells.SanitizeText(c.Title, c.ASCII)
	s := &checkScreen{
		options: c, theme: theme.Detect(c.Out, c.NoColor, c.ASCII), keys: newCheckKeys(c),
		board: NewBoard(c.Sources, c.ASCII), runs: make([]checkRun, len(c.Sources)), watching: c.Watch,
		spawn: app.NewSpawn(context.Background()), send: func(tea.Msg) {}, later: app.SendLater,
	}
	for _, check := range c.Checks {
		s.board.Add(check)
	}
	return s
}

func (s *checkScreen) Init() tea.Cmd {
	if len(s.runs) == 0 {
		return nil
	}
	return s.startRun(0, nil)
}

// Update handles keys one by one: runes that are typed fast come in one message.
func (s *checkScreen) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	k, is := message.(tea.KeyMsg)
	if !is || k.Type != tea.KeyRunes || k.Paste || len(k.Runes) < 2 {
		return s, s.update(message)
	}
	var commands []tea.Cmd
	for _, r := range k.Runes {
		commands = append(commands, s.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}))
	}
	return s, tea.Batch(commands...)
}

func (s *checkScreen) update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
	case app.InputClosedMsg:
		return s.cancelAndQuit()
	case app.PanicMsg:
		s.panicErr = m.Err
		return tea.Quit
	case app.TickMsg:
		return s.handleTick()
	case tea.KeyMsg:
		return s.handleKey(m)
	default:
		return s.handleBackground(message)
	}
	return nil
}

func (s *checkScreen) handleBackground(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case probeResultMsg:
		s.handleProbeResult(m)
	case runEndedMsg:
		return s.handleRunEnd(m)
	case watchDueMsg:
		return s.handleWatchDue(m)
	case skipSavedMsg:
		s.handleSkip(m)
	case reportSavedMsg:
		s.handleReportSaved(m)
	case app.CopiedMsg:
		s.handleCopied(m)
	}
	return nil
}

// Time and duration are those of the latest full run.
func (s *checkScreen) buildReport() reach.Report {
	report := reach.Report{V: reach.Version, Results: s.board.ListResults()}
	for _, run := range s.runs {
		if run.began.After(report.Started) {
			report.Started = run.began
		}
		report.TookMS += run.took.Milliseconds()
	}
	report.Started = report.Started.UTC().Truncate(time.Millisecond)
	return report
}

func (s *checkScreen) isRunning() bool {
	return slices.ContainsFunc(s.runs, func(run checkRun) bool { return run.running })
}

// scheduleTick redraws counters every second, as long as there are any.
func (s *checkScreen) scheduleTick() tea.Cmd {
	if s.ticking {
		return nil
	}
	s.ticking = true
	return s.later(time.Second, app.TickMsg{})
}

func (s *checkScreen) handleTick() tea.Cmd {
	s.progress = ""
	for i, run := range s.runs {
		if run.running && s.options.Progress != nil {
			s.progress = cells.SanitizeText(s.options.Progress(s.options.Sources[i]), s.options.ASCII)
		}
	}
	if s.ticking = false; s.isRunning() || s.watching {
		return s.scheduleTick()
	}
	return nil
}
