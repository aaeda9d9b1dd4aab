package tui

import (
	"context"
	"time"

	"exoshift/tui/pane"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// shell is the wizard's frame: the start screen, then the pages of one interview, and everything that is the same on
// all of them.
type shell struct {
	wizard Wizard
	theme  pane.Theme
	keys   wizardKeys
	spawn  spawner
	send   func(tea.Msg)
	later  timer

	width, height int
	start         startScreen
	talk          *talk // nil on the start screen
	sheets        []sheet
	current       int
	help          bool
	helpTop       int       // the first line of it that is shown
	menu          *quitMenu // nil while nobody wants to leave
	notice        string    // until the next key
	signing       *signing  // nil while nobody signs in
	signs         int       // counts sign-ins
	outcome       Outcome
	failure       error // a defect of ours
	beating       bool
}

// sheet is a page with its place in the interview.
type sheet struct {
	screen wizard.Screen
	page   page
	seen   bool
}

// opened is the end of opening what was chosen on the start screen.
type opened struct {
	option    string
	interview *wizard.Interview
	err       error
}

func newShell(ctx context.Context, w Wizard) *shell {
	if w.Now == nil {
		w.Now = time.Now
	}
	s := &shell{wizard: w, theme: w.theme(), keys: newWizardKeys(), spawn: inBackground(ctx), send: func(tea.Msg) {}, later: afterwards}
	s.start = newStartScreen(w, s.theme)
	return s
}

func (s *shell) Init() tea.Cmd {
	if len(s.wizard.Options) == 0 {
		return s.open("")
	}
	return nil
}

// open begins what was chosen, beside the screen.
func (s *shell) open(option string) tea.Cmd {
	s.start.opening, s.start.err = true, nil
	cmd, _ := s.spawn(func(ctx context.Context) tea.Msg {
		interview, err := s.wizard.Open(ctx, option)
		return opened{option, interview, err}
	})
	return cmd
}

// Update takes keys one by one: those that are typed fast arrive together.
func (s *shell) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	k, is := message.(tea.KeyMsg)
	if !is || k.Type != tea.KeyRunes || k.Paste || len(k.Runes) < 2 {
		return s, s.take(message)
	}
	var commands []tea.Cmd
	for _, r := range k.Runes {
		commands = append(commands, s.take(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}))
	}
	return s, tea.Batch(commands...)
}

// take takes one message and does what the page in front then wants.
func (s *shell) take(message tea.Msg) tea.Cmd {
	if s.talk != nil {
		s.talk.stale()
	}
	cmd := s.update(message)
	if s.talk == nil {
		return cmd
	}
	return tea.Batch(cmd, s.grant(), s.talk.take())
}

func (s *shell) update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
		s.measure()
	case deaf:
		return tea.Quit
	case crashed:
		s.failure = m.err
		return tea.Quit
	case opened:
		return s.begin(m)
	case beat:
		return s.beat()
	case seen:
		return nil
	case copied:
		s.hearCopied(m)
		return nil
	case tea.KeyMsg:
		return s.press(m)
	}
	if s.talk == nil {
		return nil
	}
	return s.hear(message)
}

// hear takes what came of the work beside the screen; what is not of the talk is the pages'.
func (s *shell) hear(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case due:
		s.talk.ask(m)
	case answered:
		s.talk.hear(m)
	case looked:
		s.talk.hearLook(m)
	case pageToOpen, signedIn:
		s.hearSignIn(m)
	case delivered:
		return s.deliver(s.talk.clerk.result())
	default:
		return s.everyPage(message)
	}
	return nil
}

// deliver hears what the clerk did.
func (s *shell) deliver(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case nil:
	case crashed:
		s.failure = m.err
		return tea.Quit
	case savedDraft:
		s.talk.hearSaved(m)
	case keptSecret:
		s.talk.hearKept(m)
	case exported:
		s.hearExported(m)
	default:
		return s.everyPage(message)
	}
	return nil
}

// everyPage hands a message to all pages: those in the background may wait for it, too.
func (s *shell) everyPage(message tea.Msg) tea.Cmd {
	var commands []tea.Cmd
	for _, sheet := range s.sheets {
		commands = append(commands, sheet.page.Update(message))
	}
	return tea.Batch(commands...)
}

// begin begins an interview, or ends the wizard with what was chosen.
func (s *shell) begin(m opened) tea.Cmd {
	s.start.opening, s.start.err = false, m.err
	s.outcome.Option = m.option
	switch {
	case m.err != nil:
		return nil
	case m.interview == nil:
		return tea.Quit
	}
	s.talk = newTalk(m.interview, s.theme, s.wizard.ASCII, s.wizard.Now)
	s.talk.spawn, s.talk.send, s.talk.later, s.talk.out = s.spawn, s.send, s.later, s.wizard.Out
	s.measure()
	s.talk.check()
	s.talk.inquire(0)
	for _, screen := range append(wizard.Screens(), checksScreen, reviewScreen) {
		s.sheets = append(s.sheets, sheet{screen: screen, page: newPage(s.talk, screen)})
	}
	s.current = -1
	return tea.Batch(s.openAtFirst(), s.beatOn())
}

// enter brings a page to the front.
func (s *shell) enter(i int) tea.Cmd {
	s.current, s.help = i, false
	s.sheets[i].seen = true
	return s.sheets[i].page.Enter()
}

func (s *shell) page() page { return s.sheets[s.current].page }

// beatOn has the ages on the screen drawn anew every second.
func (s *shell) beatOn() tea.Cmd {
	if s.beating {
		return nil
	}
	s.beating = true
	return s.later(time.Second, beat{})
}

func (s *shell) beat() tea.Cmd {
	cmd := s.everyPage(beat{})
	if s.beating {
		return tea.Batch(cmd, s.later(time.Second, beat{}))
	}
	return cmd
}

// close ends everything that goes on and saves what is not saved.
func (s *shell) close() error {
	if s.talk == nil {
		return nil
	}
	s.talk.silence()
	s.endSignIn()
	for _, sheet := range s.sheets {
		sheet.page.Leave()
	}
	if s.talk.unsavable != nil {
		s.talk.clerk.unsaved = true
	}
	s.talk.clerk.finish(func(m tea.Msg) { s.deliver(m) })
	*s.talk.interview.Answers = *s.talk.answers.Copy()
	return s.talk.unsavable
}

// await waits until nothing is left in the zone that the wizard has put there.
func (s *shell) await() {
	if s.talk != nil {
		s.talk.abroad.Lock()
		defer s.talk.abroad.Unlock()
	}
}

// measure tells the pages how much room there is.
func (s *shell) measure() {
	if s.talk != nil {
		s.talk.roomy = s.width >= mediumWidth && s.height >= plainHeight
	}
}
