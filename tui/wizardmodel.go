package tui

import (
	"context"
	"time"

	"exoshift/tui/app"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// wizardModel is the frame of the wizard: the start screen, then the pages of one interview, and everything that they have in
// common.
type wizardModel struct {
	wizard Wizard
	theme  theme.Theme
	keys   wizardKeys
	spawn  app.Spawn
	send   func(tea.Msg)
	later  app.Later

	width, height int
	start         startScreen
	session       *pageContext // nil on the start screen
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
	page   page
	seen   bool
}

type interviewOpenedMsg struct {
	option    string
	interview *wizard.Interview
	err       error
}

func newWizardModel(ctx context.Context, w Wizard) *wizardModel {
	if w.Now == nil {
		w.Now = time.Now
	}
	s := &wizardModel{wizard: w, theme: theme.Detect(w.Out, w.NoColor, w.ASCII), keys: newWizardKeys(), spawn: app.NewSpawn(ctx), send: func(tea.Msg) {}, later: app.SendLater}
	s.start = newStartScreen(w, s.theme)
	return s
}

func (s *wizardModel) Init() tea.Cmd {
	if len(s.wizard.Options) == 0 {
		return s.openInterview("")
	}
	return nil
}

func (s *wizardModel) openInterview(option string) tea.Cmd {
	s.start.opening, s.start.err = true, nil
	cmd, _ := s.spawn(func(ctx context.Context) tea.Msg {
		interview, err := s.wizard.Open(ctx, option)
		return interviewOpenedMsg{option, interview, err}
	})
	return cmd
}

// Update handles keys one by one: runes that are typed fast come in one message.
func (s *wizardModel) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	k, is := message.(tea.KeyMsg)
	if !is || k.Type != tea.KeyRunes || k.Paste || len(k.Runes) < 2 {
		return s, s.handleMsg(message)
	}
	var commands []tea.Cmd
	for _, r := range k.Runes {
		commands = append(commands, s.handleMsg(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}))
	}
	return s, tea.Batch(commands...)
}

// handleMsg also handles what the current page then requests.
func (s *wizardModel) handleMsg(message tea.Msg) tea.Cmd {
	cmd := s.update(message)
	if s.session == nil {
		return cmd
	}
	session.RequestErrors(s.session.Session)
	return tea.Batch(cmd, navigator{s}.handleIntent(), s.session.takeCommands())
}

func (s *wizardModel) update(message tea.Msg) tea.Cmd {
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
	case busyShownMsg:
		return nil
	case app.CopiedMsg:
		s.handleCopied(m)
		return nil
	case tea.KeyMsg:
		return s.handleKey(m)
	}
	if s.session == nil {
		return nil
	}
	return s.handleBackground(message)
}

// Messages that are not the session's are passed to the pages.
func (s *wizardModel) handleBackground(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case lookupDueMsg:
		s.session.startLookup(m)
	case updateMsg:
		m.update()
	case signInPageMsg, signInEndedMsg:
		signIn{s}.handleMsg(m)
	case saveDoneMsg:
		s.session.Saves.Finish()
	default:
		return s.updatePages(message)
	}
	return nil
}

// Pages in the background get the message, too: they may wait for it.
func (s *wizardModel) updatePages(message tea.Msg) tea.Cmd {
	var commands []tea.Cmd
	for _, sheet := range s.pages {
		commands = append(commands, sheet.page.Update(message))
	}
	return tea.Batch(commands...)
}

func (s *wizardModel) handleOpened(m interviewOpenedMsg) tea.Cmd {
	s.start.opening, s.start.err = false, m.err
	s.outcome.Option = m.option
	switch {
	case m.err != nil:
		return nil
	case m.interview == nil:
		return tea.Quit
	}
	s.session = newPageContext(m.interview, s.theme, s.wizard.ASCII, s.wizard.Now)
	s.session.spawn, s.session.send, s.session.later, s.session.out = s.spawn, s.send, s.later, s.wizard.Out
	s.resize()
	session.RequestErrors(s.session.Session)
	for _, screen := range session.Pages() {
		s.pages = append(s.pages, pageState{screen: screen, page: newPage(s.session, screen)})
	}
	s.current = -1
	return tea.Batch(navigator{s}.openFirst(), s.scheduleTick())
}

func (s *wizardModel) showPage(i int) tea.Cmd {
	s.current, s.help = i, false
	s.pages[i].seen = true
	return s.pages[i].page.Open()
}

func (s *wizardModel) currentPage() page { return s.pages[s.current].page }

// scheduleTick redraws the ages on the screen every second.
func (s *wizardModel) scheduleTick() tea.Cmd {
	if s.ticking {
		return nil
	}
	s.ticking = true
	return s.later(time.Second, app.TickMsg{})
}

func (s *wizardModel) handleTick() tea.Cmd {
	cmd := s.updatePages(app.TickMsg{})
	if s.ticking {
		return tea.Batch(cmd, s.later(time.Second, app.TickMsg{}))
	}
	return cmd
}

// close cancels all background work and saves what is not saved.
func (s *wizardModel) close() error {
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
func (s *wizardModel) waitZoneRuns() {
	if s.session != nil {
		s.session.zoneMu.Lock()
		defer s.session.zoneMu.Unlock()
	}
}

func (s *wizardModel) resize() {
	if s.session != nil {
		s.session.helpBeside = s.width >= components.MediumWidth && s.height >= components.MinHeight
	}
}

// View draws the whole screen.
func (s *wizardModel) View() string { return wizardView{s}.View() }
