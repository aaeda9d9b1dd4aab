package components

import (
	"github.com/charmbracelet/bubbles/key"
)

// DocumentKeys are the keys of a text or a list that fills the screen.
type DocumentKeys struct {
	Up, Down, PageUp, PageDown, Home, End key.Binding
	Next, Previous, Accept, Again, Back   key.Binding
}

// NewDocumentKeys returns the keys with their help.
func NewDocumentKeys() DocumentKeys {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	return DocumentKeys{
		Up:       bind("up", "up", "up", "k"),
		Down:     bind("up/down", "move", "down", "j"),
		PageUp:   bind("pgup", "page up", "pgup", "ctrl+b"),
		PageDown: bind("pgdown", "page down", "pgdown", "ctrl+f"),
		Home:     bind("home", "top", "home", "g"),
		End:      bind("end", "end", "end", "G"),
		Next:     bind("tab", "next", "tab", "right"),
		Previous: bind("shift+tab", "previous", "shift+tab", "left"),
		Accept:   bind("enter", "choose", "enter", " "),
		Back:     bind("esc", "back", "esc", "alt+left"),
		Again:    bind("r", "again", "r", "ctrl+r"),
	}
}
