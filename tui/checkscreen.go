package tui

import (
	"context"
	"slices"
	"time"

	"exoshift/tui/pane"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// checkScreen is the screen of `check`: every service, how it is from each vantage, and what to do about it.
type checkScreen struct {
	checking Checking
	theme    pane.Theme
	keys     checkKeys
	board    *reachBoard
	runs     []checkRun // by vantage
	spawn    spawner
	send     func(tea.Msg)
	later    timer

	width, height int
	popup         popup // nil while none is open
	filtering     bool  // the word of the filter is being typed
	watching      bool
	due           time.Time // when everything is looked at again
	watch         int       // counts the times that watching was turned on
	beating       bool
	notice        string // until the next key
	doing         string // what goes on before results come
	leaving       bool
	failure       error // a defect of ours
}

func newCheckScreen(c Checking) *checkScreen {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Terms == nil {
		c.Terms = func(string) string { return "" }
	}
	c.Title = cleanText(c.Title, c.ASCII)
	s := &checkScreen{
		checking: c, theme: Options{Out: c.Out, NoColor: c.NoColor, ASCII: c.ASCII}.theme(), keys: newCheckKeys(c),
		board: newReachBoard(c.Vantages, c.ASCII), runs: make([]checkRun, len(c.Vantages)), watching: c.Watch,
		spawn: inBackground(context.Background()), send: func(tea.Msg) {}, later: afterwards,
	}
	for _, check := range c.Checks {
		s.board.add(check)
	}
	return s
}

func (s *checkScreen) Init() tea.Cmd {
	if len(s.runs) == 0 {
		return nil
	}
	return s.run(0, nil)
}

// Update takes keys one by one: those that are typed fast arrive together.
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
	case deaf:
		return s.leave()
	case crashed:
		s.failure = m.err
		return tea.Quit
	case beat:
		return s.beat()
	case tea.KeyMsg:
		return s.press(m)
	default:
		return s.hear(message)
	}
	return nil
}

// hear takes what came of the work beside the screen.
func (s *checkScreen) hear(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case probed:
		s.hearResult(m)
	case runEnded:
		return s.hearEnd(m)
	case watchDue:
		return s.lookAgain(m)
	case skippedCheck:
		s.hearSkip(m)
	case savedReport:
		s.hearSaved(m)
	case copied:
		s.hearCopied(m)
	}
	return nil
}

// report is how everything is now. When it was and how long it took are those of the latest run of everything.
func (s *checkScreen) report() reach.Report {
	report := reach.Report{V: reach.Version, Results: s.board.results()}
	for _, run := range s.runs {
		if run.began.After(report.Started) {
			report.Started = run.began
		}
		report.TookMS += run.took.Milliseconds()
	}
	report.Started = report.Started.UTC().Truncate(time.Millisecond)
	return report
}

// busy tells whether a run goes on.
func (s *checkScreen) busy() bool {
	return slices.ContainsFunc(s.runs, func(run checkRun) bool { return run.running })
}

// beatOn has what counts seconds drawn anew every second, as long as there is such a thing.
func (s *checkScreen) beatOn() tea.Cmd {
	if s.beating {
		return nil
	}
	s.beating = true
	return s.later(time.Second, beat{})
}

func (s *checkScreen) beat() tea.Cmd {
	s.doing = ""
	for i, run := range s.runs {
		if run.running && s.checking.Doing != nil {
			s.doing = cleanText(s.checking.Doing(s.checking.Vantages[i]), s.checking.ASCII)
		}
	}
	if s.beating = false; s.busy() || s.watching {
		return s.beatOn()
	}
	return nil
}
