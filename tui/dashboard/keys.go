package dashboard

import (
	"github.com/charmbracelet/bubbles/key"
)

// keyMap is every key of the dashboard; the help is generated from it.
type keyMap struct {
	Tabs, Next, Previous             key.Binding
	Up, Down, PageUp, PageDown, Home key.Binding
	Details, Log, Filter, Handover   key.Binding
	Help, Wide, Redraw, Approve      key.Binding
	Leave, Accept, Back, Copy, Open  key.Binding
	Mouse                            key.Binding
	Pause, Faster, Slower            key.Binding // of a recording
}

func newKeyMap(recording bool) keyMap {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	keys := keyMap{
		Tabs:     bind("1-8", "select a pane", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		Next:     bind("tab", "next pane", "tab", "right"),
		Previous: bind("shift+tab", "previous pane", "shift+tab", "left"),
		Up:       bind("up, k", "scroll up", "up", "k"),
		Down:     bind("down, j", "scroll down", "down", "j"),
		PageUp:   bind("pgup", "page up", "pgup", "ctrl+b"),
		PageDown: bind("pgdown", "page down", "pgdown", "ctrl+f", " "),
		Home:     bind("home", "follow the run", "home", "esc", "g", "end", "G"),
		Details:  bind("d", "diagnosis", "d"),
		Log:      bind("l", "log: events or journal", "l"),
		Handover: bind("h", "hand-over: result and next steps", "h"),
		Filter:   bind("/", "filter nodes, operators, log", "/"),
		Help:     bind("?", "help", "?", "f1"),
		Wide:     bind("w", "one pane or all", "w"),
		Redraw:   bind("ctrl+l", "redraw", "ctrl+l"),
		Leave:    bind("q", "quit", "q", "ctrl+c"),
		Accept:   bind("enter", "choose", "enter", " "),
		Open:     bind("enter", "list and details", "enter"),
		Back:     bind("esc", "back", "esc", "alt+left"),
		Approve:  bind("a", "approve new keys", "a"),
		Copy:     bind("c", "copy what is needed", "c"),
		Mouse:    bind("m", "mouse on or off", "m"),
		Pause:    bind("space", "pause", " "),
		Faster:   bind("+", "faster", "+", "="),
		Slower:   bind("-", "slower", "-"),
	}
	keys.Handover.SetEnabled(false) // until there is one
	keys.Approve.SetEnabled(false)  // until an approval is required
	for _, key := range []*key.Binding{&keys.Pause, &keys.Faster, &keys.Slower} {
		key.SetEnabled(recording)
	}
	return keys
}

// ShortHelp returns the bindings of the key line, the most important ones first.
func (k keyMap) ShortHelp() []key.Binding {
	rename := func(binding *key.Binding, does string) { binding.SetHelp(binding.Help().Key, does) }
	if k.Approve.Help().Desc != "decide" {
		rename(&k.Approve, "approve")
	}
	rename(&k.Copy, "copy")
	rename(&k.Open, "details")
	rename(&k.Filter, "filter")
	rename(&k.Mouse, "mouse")
	rename(&k.Wide, "one or all")
	if k.Handover.Help().Desc != "dashboard" {
		rename(&k.Handover, "hand-over")
	}
	k.Details.SetHelp("d", "why")
	return []key.Binding{k.Help, k.Leave, k.Approve, k.Handover, k.Copy, k.Details, k.Open, k.Filter, k.Next, k.Wide, k.Mouse}
}

// FullHelp returns the bindings of the help overlay.
func (k keyMap) FullHelp() [][]key.Binding {
	return [][]key.Binding{
		{k.Tabs, k.Next, k.Previous, k.Open, k.Wide, k.Handover, k.Details, k.Log, k.Filter},
		{k.Up, k.Down, k.PageUp, k.PageDown, k.Home, k.Back},
		{k.Help, k.Approve, k.Copy, k.Mouse, k.Redraw, k.Leave, k.Pause, k.Faster, k.Slower},
	}
}
