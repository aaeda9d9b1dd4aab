package wizard

import (
	"context"
	"time"

	"exoshift/tui/app"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/form"
	"exoshift/tui/wizard/nodes"
	"exoshift/tui/wizard/page"
	"exoshift/tui/wizard/review"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// model is the frame of the wizard: the start screen, then the pages of one interview, and everything that they have in
// common.
type model struct {
	options Options
	theme   theme.Theme
	keys    keys
	spawn   app.Spawn
	send    func(tea.Msg)
	later   app.Later

	width, height int
	start         startScreen
	session       *page.Context // nil on the start screen
	pages         []pageState
	current       int
	help          bool
	helpTop       int                // the first line of it that is shown
	quitDialog    *components.Dialog // nil while closed
	notice        string             // until the next key
	signInState   *signInState       // nil while there is no sign-in
	signInCount   int                // counts sign-ins
	outcome       Outcome
	panicErr      error // a panic of ours
	ticking       bool
}

type pageState struct {
	screen wizard.Screen
	page   page.Page
	seen   bool
}

type interviewOpenedMsg struct {
	option    string
	interview *wizard.Interview
	err       error
}

func newModel(ctx context.Context, w Options) *model {
	if w.Now == nil {
		w.Now = time.Now
	}
	s := &model{options: w, theme: theme.Detect(w.Out, w.NoColor, w.ASCII), keys: newKeys(), spawn: app.NewSpawn(ctx), send: func(tea.Msg) {}, later: app.SendLater}
	s.theme.Mouse = app.HasMouse(w.Out)
	s.keys.Mouse.SetEnabled(s.theme.Mouse)
	s.start = newStartScreen(w, s.theme)
	return s
}

func (s *model) Init() tea.Cmd {
	if len(s.options.StartOptions) == 0 {
		return s.openInterview("")
	}
	return nil
}

func (s *model) openInterview(option string) tea.Cmd {
	s.start.opening, s.start.err = true, nil
	cmd, _ := s.spawn(func(ctx context.Context) tea.Msg {
		interview, err := s.options.Open(ctx, option)
		return interviewOpenedMsg{option, interview, err}
	})
	return cmd
}

// Update handles keys one by one: runes that are typed fast come in one message.
func (s *model) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	var commands []tea.Cmd
	for _, m := range app.SplitRunes(message) {
		commands = append(commands, s.handleMsg(m))
	}
	return s, tea.Batch(commands...)
}

// handleMsg also handles what the current page then requests.
func (s *model) handleMsg(message tea.Msg) tea.Cmd {
	cmd := s.update(message)
	if s.session == nil {
		return cmd
	}
	session.RequestErrors(s.session.Session)
	return tea.Batch(cmd, navigator{s}.handleIntent(), s.session.TakeCommands())
}

func (s *model) update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
		s.resize()
	case app.InputClosedMsg:
		return tea.Quit
	case app.PanicMsg:
		s.panicErr = m.Err
		return tea.Quit
	case interviewOpenedMsg:
		return s.handleOpened(m)
	case app.TickMsg:
		return s.handleTick()
	case page.BusyShownMsg:
		return nil
	case app.CopiedMsg:
		s.handleCopied(m)
		return nil
	case tea.KeyMsg:
		return s.handleKey(m)
	case app.MouseMsg, app.ClickMsg, app.WheelMsg:
		return mouse{s}.handle(message)
	}
	if s.session == nil {
		return nil
	}
	return s.handleBackground(message)
}

// Messages that are not the session's are passed to the pages.
func (s *model) handleBackground(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case page.LookupDueMsg:
		s.session.StartLookup(m)
	case page.UpdateMsg:
		m.Update()
	case signInPageMsg, signInEndedMsg:
		signIn{s}.handleMsg(m)
	case page.SaveDoneMsg:
		s.session.Saves.Finish()
	default:
		return s.updatePages(message)
	}
	return nil
}

// Pages in the background get the message, too: they may wait for it.
func (s *model) updatePages(message tea.Msg) tea.Cmd {
	var commands []tea.Cmd
	for _, sheet := range s.pages {
		commands = append(commands, sheet.page.Update(message))
	}
	return tea.Batch(commands...)
}

func (s *model) handleOpened(m interviewOpenedMsg) tea.Cmd {
	s.start.opening, s.start.err = false, m.err
	s.outcome.Option = m.option
	switch {
	case m.err != nil:
		return nil
	case m.interview == nil:
		return tea.Quit
	}
	s.session = page.NewContext(m.interview, s.theme, s.options.ASCII, s.options.Now)
	s.session.Spawn, s.session.Send, s.session.Later, s.session.Out = s.spawn, s.send, s.later, s.options.Out
	s.resize()
	session.RequestErrors(s.session.Session)
	for _, screen := range session.Pages() {
		s.pages = append(s.pages, pageState{screen: screen, page: newPage(s.session, screen)})
	}
	s.current = -1
	return tea.Batch(navigator{s}.openFirst(), s.scheduleTick())
}

func (s *model) showPage(i int) tea.Cmd {
	s.current, s.help = i, false
	s.pages[i].seen = true
	return s.pages[i].page.Open()
}

func (s *model) currentPage() page.Page { return s.pages[s.current].page }

// scheduleTick redraws the ages on the screen every second.
func (s *model) scheduleTick() tea.Cmd {
	if s.ticking {
		return nil
	}
	s.ticking = true
	return s.later(time.Second, app.TickMsg{})
}

func (s *model) handleTick() tea.Cmd {
	cmd := s.updatePages(app.TickMsg{})
	if s.ticking {
		return tea.Batch(cmd, s.later(time.Second, app.TickMsg{}))
	}
	return cmd
}

// close cancels all background work and saves what is not saved.
func (s *model) close() error {
	if s.session == nil {
		return nil
	}
	signIn{s}.stop()
	for _, sheet := range s.pages {
		sheet.page.Close()
	}
	return s.session.Close()
}

// waitZoneRuns waits until no resource of the wizard is left in the zone.
func (s *model) waitZoneRuns() {
	if s.session != nil {
		s.session.Checks.WaitZone()
	}
}

func (s *model) resize() {
	if s.session != nil {
		s.session.HelpBeside = s.width >= components.MediumWidth && s.height >= components.MinHeight
	}
}

// View draws the whole screen.
func (s *model) View() string { return frame{s}.View() }

func newPage(t *page.Context, screen wizard.Screen) page.Page {
	switch screen {
	case wizard.Nodes:
		return nodes.New(t)
	case wizard.Network:
		return form.NewNetwork(t)
	case session.ChecksPage:
		return review.NewChecks(t)
	case session.ReviewPage:
		return review.NewReview(t)
	}
	return form.New(t, screen)
}
