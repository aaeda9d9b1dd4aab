package wizard

import (
	"strings"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

type keys struct {
	Back, Help, Export, Again, Redraw, Leave, Jump key.Binding
	Close, Scroll, Move, Up, Down, Accept, SignIn  key.Binding
	Mouse                                          key.Binding
}

func newKeys() keys {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	return keys{
		Back:   bind("esc", "back", "esc", "alt+left"),
		Help:   bind("F1", "help", "f1"),
		Export: bind("F9", "export", "f9"),
		SignIn: bind("F6", "sign in", "f6"),
		Again:  bind("ctrl+r", "retry", "ctrl+r"),
		Redraw: bind("ctrl+l", "redraw", "ctrl+l"),
		Leave:  bind("ctrl+c", "quit", "ctrl+c"),
		Jump:   bind("alt+1-8", "go to a screen", "alt+1", "alt+2", "alt+3", "alt+4", "alt+5", "alt+6", "alt+7", "alt+8", "alt+9"),
		Close:  bind("any key", "close help", "any"),
		Scroll: bind("up/down", "scroll", "up", "down", "pgup", "pgdown"),
		Move:   bind("up/down", "move", "up", "down"),
		Up:     bind("up", "up", "up", "k", "shift+tab"),
		Down:   bind("down", "down", "down", "j", "tab"),
		Accept: bind("enter", "choose", "enter", " "),
		Mouse:  bind("m", "mouse", "m", "alt+m"),
	}
}

// Precedence: keys that quit, then what is open, then the keys of every page, then the page's own.
func (s *model) handleKey(k tea.KeyMsg) tea.Cmd {
	s.notice, k = "", s.translateKey(k)
	switch {
	case s.quitDialog != nil:
		return s.handleQuitKey(k)
	case key.Matches(k, s.keys.Redraw):
		return tea.ClearScreen
	case mouse{s}.isMouseKey(k):
		return app.ToggleMouse
	case s.session == nil:
		return s.handleStartKey(k)
	case key.Matches(k, s.keys.Leave):
		s.openQuitDialog()
	case s.signInState != nil:
		return signIn{s}.handleKey(k)
	case s.help:
		s.handleHelpKey(k)
	default:
		return s.handlePageKey(k)
	}
	return nil
}

func (s *model) handlePageKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case s.isHelpKey(k):
		s.showHelp()
	case key.Matches(k, s.keys.SignIn) && signIn{s}.isOffered():
		signIn{s}.start()
	case key.Matches(k, s.keys.Export):
		s.startExport()
	case key.Matches(k, s.keys.Again):
		s.session.Refresh()
		return s.currentPage().Update(k)
	case s.inputMode() == page.ModeCapture:
		return s.currentPage().Update(k)
	case key.Matches(k, s.keys.Back):
		s.session.RequestPrevious()
	case key.Matches(k, s.keys.Jump):
		if n := int(k.Runes[0] - '1'); n < len(navigator{s}.listShown()) {
			return navigator{s}.openScreen(navigator{s}.listShown()[n])
		}
	default:
		return s.currentPage().Update(k)
	}
	return nil
}

// translateKey maps the letters and digits that are shortcuts on read-only pages to the keys that work everywhere.
func (s *model) translateKey(k tea.KeyMsg) tea.KeyMsg {
	if s.session == nil || s.quitDialog != nil || s.help || s.inputMode() != page.ModeReadOnly || k.Paste || k.Alt {
		return k
	}
	switch text := string(k.Runes); {
	case text == "q":
		return tea.KeyMsg{Type: tea.KeyCtrlC}
	case text == "e":
		return tea.KeyMsg{Type: tea.KeyF9}
	case len(text) == 1 && strings.Contains("12345678", text):
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: k.Runes, Alt: true}
	}
	return k
}

// Letters are help keys only where they are no text.
func (s *model) isHelpKey(k tea.KeyMsg) bool {
	return key.Matches(k, s.keys.Help) || s.isLetterInput() && string(k.Runes) == "?" && !k.Paste
}

func (s *model) inputMode() page.InputMode {
	if g, gripping := s.currentPage().(page.InputModer); gripping {
		return g.InputMode()
	}
	return page.ModeDefault
}

func (s *model) isLetterInput() bool {
	return s.inputMode() == page.ModeDefault || s.inputMode() == page.ModeReadOnly
}

func (s *model) showHelp() { s.help, s.helpTop = true, 0 }

// Keys that scroll keep the help open while there is more of it; any other key closes it.
func (s *model) handleHelpKey(k tea.KeyMsg) {
	most := frame{s}.countHiddenHelp()
	if s.help = most > 0 && key.Matches(k, s.keys.Scroll); !s.help {
		return
	}
	by := map[tea.KeyType]int{tea.KeyUp: -1, tea.KeyDown: 1, tea.KeyPgUp: -s.height, tea.KeyPgDown: s.height}[k.Type]
	s.helpTop = min(max(min(s.helpTop, most)+by, 0), most)
}

// openQuitDialog asks before leaving an interview.
func (s *model) openQuitDialog() {
	s.quitDialog = &components.Dialog{
		Theme: s.theme, Title: "Quit the wizard?", Back: "cancel", Accept: "save and quit",
		Hint: "enter selects, esc cancels, ctrl+c quits", OnAccept: func() tea.Cmd { return tea.Quit },
	}
	if s.session.Interview.DraftPath == "" {
		s.quitDialog.Accept = "quit"
	}
}

func (s *model) handleQuitKey(k tea.KeyMsg) tea.Cmd {
	if key.Matches(k, s.keys.Leave) {
		s.quitDialog = nil
		return tea.Quit
	}
	stays, cmd := s.quitDialog.HandleKey(k)
	if !stays {
		s.quitDialog = nil
	}
	return cmd
}

func (s *model) handleStartKey(k tea.KeyMsg) tea.Cmd {
	start := &s.start
	switch {
	case start.popups.Open != nil && k.Type != tea.KeyCtrlC:
		return start.popups.HandleKey(k)
	case s.help && !key.Matches(k, s.keys.Leave):
		s.handleHelpKey(k)
	case key.Matches(k, s.keys.Help), string(k.Runes) == "?":
		s.showHelp()
	case key.Matches(k, s.keys.Leave), string(k.Runes) == "q", key.Matches(k, s.keys.Back):
		return tea.Quit
	case !start.opening && len(start.options) > 0 && !start.handleDraftKey(k) && s.chooseOption(k):
		return s.openInterview(start.options[start.cursor].ID)
	}
	return nil
}

// chooseOption moves the cursor; it reports whether the option under it is chosen.
func (s *model) chooseOption(k tea.KeyMsg) bool {
	start, options, digit := &s.start, len(s.start.options), 0
	if len(k.Runes) == 1 {
		digit = int(k.Runes[0] - '0')
	}
	switch {
	case key.Matches(k, s.keys.Down):
		start.cursor = (start.cursor + 1) % options
	case key.Matches(k, s.keys.Up):
		start.cursor = (start.cursor + options - 1) % options
	case digit >= 1 && digit <= options:
		start.cursor = digit - 1
		return true
	default:
		return key.Matches(k, s.keys.Accept)
	}
	return false
}

func (s *model) startExport() {
	s.session.Saves.Export(func(path string, err error) {
		if err != nil {
			s.notice = s.theme.Mark(theme.Failed) + " " + cells.SanitizeText(err.Error(), s.options.ASCII)
			return
		}
		s.notice = s.theme.Mark(theme.OK) + " answers file: " + cells.SanitizeText(path, s.options.ASCII)
	})
}

func (s *model) handleCopied(m app.CopiedMsg) {
	if m.Err != nil {
		s.notice = s.theme.Mark(theme.Failed) + " not copied: " + cells.SanitizeText(m.Err.Error(), s.options.ASCII)
		return
	}
	s.notice = s.theme.Mark(theme.OK) + " copied to the clipboard, if supported: " + cells.SanitizeText(m.Text, s.options.ASCII)
}
