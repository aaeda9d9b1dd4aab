package form

import (
	"fmt"
	"regexp"
	"strings"

	"exoshift/tui/components"
	"exoshift/wizard"
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
		f.note = "nothing can be pasted here"
		return
	case !f.isPastable(trimmed):
		return
	default:
		f.editor.insert(joinLines(row.field, trimmed))
	}
	if trimmed != text && f.note == "" {
		f.note = "white space around the pasted text was left out"
	}
}

// A pasted secret is stored at once: it may be long and have many lines.
func (f secretField) storePastedSecret(field wizard.Field, secret string) {
	if len(secret) > maxSecretSize {
		f.note = fmt.Sprintf("this is too long for a secret: %d bytes, at most %d", len(secret), maxSecretSize)
		return
	}
	if f.editor != nil {
		secret = f.editor.getText() + secret
		f.editor = nil
	}
	if session.IsReference(secret) {
		_ = session.SetReference(f.session.Session, field.Key, components.SanitizeInput(secret))
	} else {
		f.session.SaveSecret(field.Key, secret)
		f.session.Touch(field.Key)
	}
}

// isPastable rejects what looks like a secret in a text field, since it would end up in the draft.
func (f secretField) isPastable(text string) bool {
	switch {
	case len(text) > maxTextLength:
		f.note = fmt.Sprintf("this is too long for an answer: %d bytes", len(text))
	case isLikelySecret(text) && f.editor.source == "":
		f.note = "this looks like a secret, which does not belong here"
	default:
		return true
	}
	return false
}

var apiKeyPattern = regexp.MustCompile(`\bEXO[0-9a-f]{20,}\b`)

func isLikelySecret(text string) bool {
	return strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, `"auth`) || apiKeyPattern.MatchString(text)
}

// Lines become the items of a list.
func joinLines(field wizard.Field, text string) string {
	if shape := field.Shape(); shape == wizard.List || shape == wizard.Table {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), ", ")
	}
	return components.SanitizeInput(text)
}
