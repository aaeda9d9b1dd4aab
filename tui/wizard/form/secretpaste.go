package form

import (
	"fmt"
	"strings"

	"exoshift/wizard"
	"exoshift/wizard/recognize"
	"exoshift/wizard/session"
)

// maxSecretSize is in bytes, the same as for secrets read from a file.
const maxSecretSize = 1 << 20

func (f secretField) insertPaste(text string) {
	row := f.selectedRow()
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return
	case row.kind == secretRow && (f.editor == nil || f.editor.source == sourceTyped):
		f.storePastedSecret(row.field, trimmed)
	case f.editor == nil:
		f.note = "paste is not supported here"
		return
	case f.editor.source != "" && len(trimmed) <= maxSecretSize && recognize.SecretAsName(trimmed) != "":
		f.keepOrDiscard(row.field, trimmed, recognize.SecretAsName(trimmed))
		return
	case !f.isPastable(trimmed):
		return
	default:
		f.note = f.editor.insert(joinLines(row.field, trimmed))
	}
	if trimmed != strings.TrimRight(text, "\r\n") && f.note == "" {
		f.note = "whitespace around the pasted text was removed"
	}
}

// A pasted secret is stored at once: it may be long and have many lines.
func (f secretField) storePastedSecret(field wizard.Field, secret string) {
	if len(secret) > maxSecretSize {
		f.note = fmt.Sprintf("too long for a secret: %d bytes, at most %d", len(secret), maxSecretSize)
		return
	}
	if f.editor != nil {
		secret = f.editor.getText() + secret
		f.editor = nil
	}
	switch name := session.ReferenceName(secret); {
	case session.IsReference(secret) && recognize.SecretAsName(name) != "":
		f.keepOrDiscard(field, name, recognize.SecretAsName(name))
	case session.IsReference(secret):
		_ = session.SetReference(f.session.Session, field.Key, secret)
	default:
		f.session.SaveSecret(field.Key, secret)
		f.session.Touch(field.Key)
	}
}

// isPastable rejects what looks like a secret in a text field, since it would end up in the draft.
func (f secretField) isPastable(text string) bool {
	switch {
	case len(text) > maxTextLength:
		f.note = fmt.Sprintf("this is too long for an answer: %d bytes, at most %d", len(text), maxTextLength)
	case recognize.Secret(text) != "" && f.editor.source == "":
		f.note = "this looks like " + recognize.Secret(text) + ", which does not belong here: it was discarded"
	default:
		return true
	}
	return false
}

// Lines, and what is between tabs, become the items of a list.
func joinLines(field wizard.Field, text string) string {
	if shape := field.Shape(); shape == wizard.List || shape == wizard.Table {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), ", ")
	}
	return text
}
