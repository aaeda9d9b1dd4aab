package components

import (
	"strings"
	"unicode"

	"exoshift/tui/cells"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// NewInput returns a text field of at most that many characters.
func NewInput(longest int) textinput.Model {
	input := textinput.New()
	input.CharLimit = longest
	input.KeyMap.DeleteWordForward = key.NewBinding() // the library's panics at the end of a text
	input.KeyMap.Paste = key.NewBinding()             // the terminal pastes
	input.KeyMap.WordBackward = key.NewBinding(key.WithKeys("ctrl+left", "alt+b"))
	for _, unused := range []*key.Binding{&input.KeyMap.AcceptSuggestion, &input.KeyMap.NextSuggestion, &input.KeyMap.PrevSuggestion} {
		*unused = key.NewBinding()
	}
	input.Focus()
	return input
}

// IsShortcut reports whether a letter came with alt and has no binding: the library would insert it as text.
func IsShortcut(input textinput.Model, k tea.KeyMsg) bool {
	return k.Type == tea.KeyRunes && k.Alt && !key.Matches(k, input.KeyMap.WordForward, input.KeyMap.WordBackward)
}

// RenderCursor draws the cursor on the first character of rest. Without colours the cursor is a character of its own.
func RenderCursor(t theme.Theme, rest []rune) string {
	plain := t.Selected.Render("x") == "x"
	switch {
	case plain && len(rest) == 0:
		return "_"
	case plain:
		return "|" + string(rest)
	case len(rest) == 0:
		return t.Selected.Render(" ")
	}
	return t.Selected.Render(string(rest[:1])) + string(rest[1:])
}

// SanitizeInput drops what must never reach a terminal; white space inside of a text is kept as spaces.
func SanitizeInput(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// RenderInput draws as much of the text as fits, always with the cursor.
func RenderInput(t theme.Theme, input textinput.Model, width int) string {
	text := []rune(input.Value())
	at := min(input.Position(), len(text))
	room := max(width-1, 1)
	from := 0
	for from < at && ansi.StringWidth(string(text[from:at])) >= room {
		from++
	}
	return cells.Fit(string(text[from:at])+RenderCursor(t, text[at:]), width)
}
