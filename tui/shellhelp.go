package tui

import (
	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"
)

// keyLine names the keys of the page and then those that are always there, as far as there is room; what has just been
// done is told in their place.
func (s *shell) keyLine(width int) string {
	if s.notice != "" {
		return pane.Fit(" "+s.notice, width)
	}
	line := ""
	for _, binding := range s.bindings() {
		h := binding.Help()
		next := " " + s.theme.Bold.Render(h.Key) + " " + s.theme.Dim.Render(h.Desc) + " "
		if binding.Enabled() && ansi.StringWidth(line)+ansi.StringWidth(next) <= width {
			line += next
		}
	}
	return pane.Fit(line, width)
}

func (s *shell) bindings() []key.Binding {
	switch {
	case s.menu != nil:
		return []key.Binding{s.keys.Accept, s.keys.Back}
	case s.talk == nil:
		return []key.Binding{s.keys.Accept, key.NewBinding(key.WithKeys("q"), key.WithHelp("q", "leave"))}
	}
	if s.help {
		return []key.Binding{s.keys.Close}
	}
	if s.grip() == open {
		return append(s.page().Hints(), s.keys.Help, s.keys.Leave)
	}
	return append(s.page().Hints(), s.keys.Back, s.keys.Help, s.keys.Leave, s.keys.Export, s.keys.Again, s.keys.Jump, s.keys.Move)
}
