package components

import (
	"exoshift/tui/cells"
	"exoshift/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// maxFilterLength is in characters, more than any word that is searched for has.
const maxFilterLength = 200

// Filter is the text that a list is filtered by.
type Filter struct{ input *Input } // nil while it is empty

// Word returns the text.
func (f *Filter) Word() string {
	if f.input == nil {
		return ""
	}
	return f.input.Value()
}

// Clear removes the filter.
func (f *Filter) Clear() { f.input = nil }

// HandleKey edits the filter and reports whether it is still being edited: enter keeps it, esc clears it. A terminal that knows ASCII
// only shows, and matches, ASCII only.
func (f *Filter) HandleKey(k tea.KeyMsg, ascii bool) (typing bool) {
	switch k.Type {
	case tea.KeyEnter:
		return false
	case tea.KeyEsc:
		f.Clear()
		return false
	}
	if f.input == nil {
		input := NewInput(maxFilterLength)
		f.input = &input
	}
	if k.Type == tea.KeyRunes && ascii {
		k.Runes = []rune(cells.ToASCII(string(k.Runes)))
	}
	f.input.HandleKey(k)
	return true
}

// Render draws the filter with its cursor on at most that many columns.
func (f *Filter) Render(t theme.Theme, width int) string {
	if f.input == nil {
		return RenderCursor(t, nil)
	}
	return f.input.Render(t, false, max(min(width, ansi.StringWidth(f.Word())+1), 1))
}
