package components

import (
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
)

// MarkTarget marks a part of a line that can be clicked, where there is a mouse.
func MarkTarget(t theme.Theme, name, s string) string {
	if !t.Mouse {
		return s
	}
	return cells.MarkTarget(name, s)
}

// MarkKey marks the help of a key: a click on it is the key.
func MarkKey(t theme.Theme, binding key.Binding, s string) string {
	if keys := binding.Keys(); len(keys) > 0 {
		return MarkTarget(t, cells.KeyTarget+keys[0], s)
	}
	return s
}

// Target is a view of which every line can be clicked.
type Target struct {
	Theme   theme.Theme
	Name    string
	Content View
}

// View draws the content.
func (v Target) View(width, height int) string {
	drawn := v.Content.View(width, height)
	if !v.Theme.Mouse {
		return drawn
	}
	lines := strings.Split(drawn, "\n")
	for i, line := range lines {
		lines[i] = cells.MarkTarget(v.Name, line)
	}
	return strings.Join(lines, "\n")
}
