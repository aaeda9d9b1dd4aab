package checks

import (
	"time"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

type checkScreen struct {
	options Options
	theme   theme.Theme
	keys    checkKeys
	board   *Board
	runner  *runner

	width, height int
	popups        components.Popups
	filtering     bool   // the filter is being edited
	notice        string // until the next key
	panicErr      error  // a panic of ours
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
		board: NewBoard(c.Sources, c.ASCII),
	}
	s.theme.Mouse = app.HasMouse(c.Out)
	s.keys.Mouse.SetEnabled(s.theme.Mouse)
	s.runner = newRunner(c, s.board)
	for _, check := range c.Checks {
		s.board.Add(check)
	}
	return s
}

func (s *checkScreen) Init() tea.Cmd {
	if len(s.runner.runs) == 0 {
		return nil
	}
	return s.runner.start(0, nil)
}

// Update handles keys one by one: runes that are typed fast come in one message.
func (s *checkScreen) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	var commands []tea.Cmd
	for _, m := range app.SplitRunes(message) {
		commands = append(commands, s.update(m))
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
		return s.runner.handleTick()
	case tea.KeyMsg:
		return s.handleKey(m)
	case app.MouseMsg, app.ClickMsg, app.WheelMsg:
		return mouse{s}.handle(message)
	default:
		return s.handleBackground(message)
	}
	return nil
}

func (s *checkScreen) handleBackground(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case probeResultMsg:
		s.runner.record(m)
	case runEndedMsg:
		return s.handleRunEnd(m)
	case watchDueMsg:
		return s.runner.handleWatchDue(m)
	case skipSavedMsg:
		s.handleSkip(m)
	case reportSavedMsg:
		s.handleReportSaved(m)
	case app.CopiedMsg:
		s.handleCopied(m)
	}
	return nil
}

// View draws the whole screen without any I/O.
func (s *checkScreen) View() string {
	if s.width <= 0 || s.height <= 0 {
		return ""
	}
	screen := checkView{s}.render()
	if s.options.ASCII {
		return cells.ToASCII(screen)
	}
	return screen
}
