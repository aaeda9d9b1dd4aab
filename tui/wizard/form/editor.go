package form

import (
	"strings"
	"time"

	"exoshift/tui/components"
	"exoshift/wizard"
	"exoshift/wizard/recognize"

	tea "github.com/charmbracelet/bubbletea"
)

// maxTextLength is in characters and does not apply to secrets.
const maxTextLength = 4096

type editor struct {
	field      wizard.Field
	source     string // of a secret: env, file, exo or sourceTyped; empty for answers that are text
	before     string // the text before the edit
	input      components.Input
	shownUntil time.Time // of a secret
}

// sourceTyped is the source of a secret that is typed or pasted itself.
const sourceTyped = "here"

func newEditor(field wizard.Field, text string) *editor {
	e := &editor{field: field, input: components.NewInput(maxTextLength)}
	e.resetText(text)
	return e
}

func newSecretEditor(field wizard.Field, source, text string) *editor {
	e := &editor{field: field, source: source, input: components.NewInput(maxTextLength)}
	if source == sourceTyped {
		e.input = components.NewInput(maxSecretSize)
		e.input.Hidden = true
	}
	e.resetText(text)
	return e
}

// resetText replaces the text by the answer, which is no edit.
func (e *editor) resetText(text string) {
	e.input.SetValue(text)
	e.before = e.input.Value()
}

func (e *editor) getText() string { return strings.TrimSpace(e.input.Value()) }

func (e *editor) isDirty() bool { return e.input.Value() != e.before }

// holdsSecret reports whether a secret itself was typed where its source, or something else, is asked for: it is not shown.
func (e *editor) holdsSecret() bool {
	text := e.getText()
	return recognize.Secret(text) != "" || e.source != "" && recognize.SecretAsName(text) != ""
}

// handleKey handles a key that edits the text or moves the cursor; note is the problem with the key or the text, if any.
func (e *editor) handleKey(k tea.KeyMsg) (note string) {
	if note = e.input.HandleKey(k); note == "" {
		note = e.findInvalid()
	}
	return note
}

// findInvalid names the first character that cannot be part of the answer. It stays in the text: the whole of it is rejected or changed
// by who typed it.
func (e *editor) findInvalid() string {
	if e.source != "" || !e.isDirty() {
		return ""
	}
	for _, r := range e.getText() {
		switch {
		case e.field.IsTypable(r):
		case r == ' ':
			return "spaces are not allowed" + e.findExample()
		default:
			return "\"" + string(r) + "\" is not allowed" + e.findExample()
		}
	}
	return ""
}

func (e *editor) findExample() string {
	switch {
	case e.field.Shape() == wizard.Number:
		return ": digits only"
	case e.field.Example != "":
		return ", e.g. " + e.field.Example
	}
	return ""
}

func (e *editor) insert(text string) (note string) {
	if note = e.input.Insert(text); note == "" {
		note = e.findInvalid()
	}
	return note
}
