package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

type wizardKeys struct {
	Back, Help, Export, Again, Redraw, Leave, Jump key.Binding
	Close, Scroll, Move, Up, Down, Accept, SignIn  key.Binding
}

func newWizardKeys() wizardKeys {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	return wizardKeys{
		Back:   bind("esc", "back", "esc", "alt+left"),
		Help:   bind("F1", "help", "f1"),
		Export: bind("F9", "export", "f9"),
		SignIn: bind("F6", "sign in", "f6"),
		Again:  bind("ctrl+r", "ask again", "ctrl+r"),
		Redraw: bind("ctrl+l", "draw again", "ctrl+l"),
		Leave:  bind("ctrl+c", "leave", "ctrl+c"),
		Jump:   bind("alt+1-8", "go to a screen", "alt+1", "alt+2", "alt+3", "alt+4", "alt+5", "alt+6", "alt+7", "alt+8", "alt+9"),
		Close:  bind("any key", "close the help", "any"),
		Scroll: bind("up/down", "scroll", "up", "down", "pgup", "pgdown"),
		Move:   bind("up/down", "move", "up", "down"),
		Up:     bind("up", "up", "up", "k", "shift+tab"),
		Down:   bind("down", "down", "down", "j", "tab"),
		Accept: bind("enter", "choose", "enter", " "),
	}
}

// Precedence: keys that quit, then what is open, then the keys of every page, then the page's own.
func (s *wizardModel) handleKey(k tea.KeyMsg) tea.Cmd {
	s.notice, k = "", s.translateKey(k)
	switch {
	case s.quitDialog != nil:
		return s.handleQuitKey(k)
	case key.Matches(k, s.keys.Redraw):
		return tea.ClearScreen
	case s.session == nil:
		return s.handleStartKey(k)
	case key.Matches(k, s.keys.Leave):
		s.openQuitDialog()
	case s.signInState != nil:
		return s.handleSignInKey(k)
	case s.help:
		s.handleHelpKey(k)
	default:
		return s.handlePageKey(k)
	}
	return nil
}

func (s *wizardModel) handlePageKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case s.isHelpKey(k):
		s.showHelp()
	case key.Matches(k, s.keys.SignIn) && s.isSignInOffered():
		s.startSignIn()
	case key.Matches(k, s.keys.Export):
		s.startExport()
	case key.Matches(k, s.keys.Again):
		s.session.Refresh()
		return s.currentPage().Update(k)
	case s.inputMode() == modeCapture:
		return s.currentPage().Update(k)
	case key.Matches(k, s.keys.Back):
		s.session.requestPrevious()
	case key.Matches(k, s.keys.Jump):
		if n := int(k.Runes[0] - '1'); n < len(s.listShown()) {
			return s.openScreen(s.listShown()[n])
		}
	default:
		return s.currentPage().Update(k)
	}
	return nil
}

// translateKey maps the letters and digits that are shortcuts on read-only pages to the keys that work everywhere.
func (s *wizardModel) translateKey(k tea.KeyMsg) tea.KeyMsg {
	if s.session == nil || s.quitDialog != nil || s.help || s.inputMode() != modeReadOnly || k.Paste || k.Alt {
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
func (s *wizardModel) isHelpKey(k tea.KeyMsg) bool {
	return key.Matches(k, s.keys.Help) || s.isLetterInput() && string(k.Runes) == "?" && !k.Paste
}

func (s *wizardModel) inputMode() inputMode {
	if g, gripping := s.currentPage().(inputModer); gripping {
		return g.InputMode()
	}
	return modeDefault
}

func (s *wizardModel) isLetterInput() bool {
	return s.inputMode() == modeDefault || s.inputMode() == modeReadOnly
}
