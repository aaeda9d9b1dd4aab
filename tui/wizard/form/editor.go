package form

import (
	"strings"
	"time"
	"unicode"

	"exoshift/tui/components"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
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
	input := components.NewInput(maxTextLength)
	input.SetValue(components.SanitizeInput(text))
	input.CursorEnd()
	return &editor{field: field, before: input.Value(), input: input}
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
	if components.IsShortcut(e.input, k) {
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
