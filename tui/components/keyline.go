package components

import (
	"exoshift/tui/cells"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"
)

// RenderKeys draws the help of keys on a line. The first bindings take precedence where there is little room.
func RenderKeys(t theme.Theme, bindings []key.Binding, width int) string {
	line := ""
	for _, binding := range bindings {
		name := " " + t.Bold.Render(binding.Help().Key) + " " + t.Dim.Render(binding.Help().Desc) + " "
		if binding.Enabled() && ansi.StringWidth(line)+ansi.StringWidth(name) <= width {
			line += MarkKey(t, binding, name)
		}
	}
	return cells.Fit(line, width)
}

// NewHint returns a binding that is only shown.
func NewHint(name, does string) key.Binding {
	return key.NewBinding(key.WithKeys(name), key.WithHelp(name, does))
}
