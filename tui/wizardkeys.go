package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// wizardKeys are the keys that are the same on every page.
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

// press takes a key: what leaves first, then what is open, then what every page has, then the page's own.
func (s *shell) press(k tea.KeyMsg) tea.Cmd {
	s.notice, k = "", s.meant(k)
	switch {
	case s.menu != nil:
		return s.pressMenu(k)
	case key.Matches(k, s.keys.Redraw):
		return tea.ClearScreen
	case s.talk == nil:
		return s.pressStart(k)
	case key.Matches(k, s.keys.Leave):
		s.menu = &quitMenu{}
	case s.signing != nil:
		return s.pressSignIn(k)
	case s.help:
		s.pressHelp(k)
	default:
		return s.pressPage(k)
	}
	return nil
}

// pressPage takes a key of what is in front: what every page has, then the page's own.
func (s *shell) pressPage(k tea.KeyMsg) tea.Cmd {
	switch {
	case s.wantsHelp(k):
		s.explain()
	case key.Matches(k, s.keys.SignIn) && s.maySignIn():
		s.signIn()
	case key.Matches(k, s.keys.Export):
		s.export()
	case key.Matches(k, s.keys.Again):
		s.talk.again()
		return s.page().Update(k)
	case s.grip() == open:
		return s.page().Update(k)
	case key.Matches(k, s.keys.Back):
		s.talk.back()
	case key.Matches(k, s.keys.Jump):
		if n := int(k.Runes[0] - '1'); n < len(s.shown()) {
			return s.jump(s.shown()[n])
		}
	default:
		return s.page().Update(k)
	}
	return nil
}

// meant makes the keys that work everywhere of the letters and digits that stand for them on pages that are only read.
func (s *shell) meant(k tea.KeyMsg) tea.KeyMsg {
	if s.talk == nil || s.menu != nil || s.help || s.grip() != reading || k.Paste || k.Alt {
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

// wantsHelp tells whether a key asks for help: of letters only where they are no text.
func (s *shell) wantsHelp(k tea.KeyMsg) bool {
	return key.Matches(k, s.keys.Help) || s.letters() && string(k.Runes) == "?" && !k.Paste
}

// grip is which keys the page in front wants.
func (s *shell) grip() grip {
	if g, gripping := s.page().(gripping); gripping {
		return g.Grip()
	}
	return loose
}

// letters tells whether letters are keys, not text.
func (s *shell) letters() bool { return s.grip() == loose || s.grip() == reading }
