package tui

import (
	"strings"
	"time"
	"unicode"

	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// maxTextLength is in characters and does not apply to secrets.
const maxTextLength = 4096

type editor struct {
	field      wizard.Field
	source     string // of a secret: env, file, exo or sourceTyped; empty for answers that are text
	before     string // the text before the edit
	input      textinput.Model
	shownUntil time.Time // of a secret
}

// sourceTyped is the source of a secret that is typed or pasted itself.
const sourceTyped = "here"

func newEditor(field wizard.Field, text string) *editor {
	input := newInput(maxTextLength)
	input.SetValue(sanitizeInput(text))
	input.CursorEnd()
	return &editor{field: field, before: input.Value(), input: input}
}

func newInput(longest int) textinput.Model {
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

// isShortcut reports whether a letter came with alt and has no binding: the library would insert it as text.
func isShortcut(input textinput.Model, k tea.KeyMsg) bool {
	return k.Type == tea.KeyRunes && k.Alt && !key.Matches(k, input.KeyMap.WordForward, input.KeyMap.WordBackward)
}

func newSecretEditor(field wizard.Field, source, text string) *editor {
	e := newEditor(field, text)
	if e.source = source; source == sourceTyped {
		e.input.CharLimit = 0
		e.input.EchoMode = textinput.EchoPassword
	}
	return e
}

func (e *editor) getText() string { return strings.TrimSpace(e.input.Value()) }

func (e *editor) isDirty() bool { return e.input.Value() != e.before }

// handleKey handles a key that edits the text or moves the cursor; note is the problem with the key, if any.
func (e *editor) handleKey(k tea.KeyMsg) (note string) {
	if isShortcut(e.input, k) {
		return ""
	}
	if k.Type == tea.KeyRunes && !k.Alt {
		if k.Runes, note = e.filterTyped(k.Runes); len(k.Runes) == 0 {
			return note
		}
	}
	if k.Type == tea.KeySpace && e.source == "" && !e.field.IsTypable(' ') {
		return "a space cannot be part of this" + e.findExample()
	}
	e.input, _ = e.input.Update(k)
	return note
}

// Where only small letters are allowed, capitals are converted.
func (e *editor) filterTyped(typed []rune) (kept []rune, note string) {
	for _, r := range typed {
		small := unicode.ToLower(r)
		switch {
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
		case e.source != "" || e.field.IsTypable(r):
			kept = append(kept, r)
		case e.field.IsTypable(small):
			kept = append(kept, small)
		default:
			note = "\"" + string(r) + "\" cannot be part of this" + e.findExample()
		}
	}
	return kept, note
}

func (e *editor) findExample() string {
	switch {
	case e.field.Shape() == wizard.Number:
		return ": only digits can"
	case e.field.Example != "":
		return ", e.g. " + e.field.Example
	}
	return ""
}

func (e *editor) insert(text string) {
	e.input, _ = e.input.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)})
}

func (e *editor) render(t theme.Theme, width int) string {
	text := []rune(e.input.Value())
	at := min(e.input.Position(), len(text))
	room := max(width-1, 1)
	from := 0
	for from < at && ansi.StringWidth(string(text[from:at])) >= room {
		from++
	}
	return cells.Fit(string(text[from:at])+renderCursor(t, text[at:]), width)
}

// Without colours the cursor is a character of its own.
func renderCursor(t theme.Theme, rest []rune) string {
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

// sanitizeInput drops what must never reach a terminal; white space inside of a text is kept as spaces.
func sanitizeInput(text string) string {
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
