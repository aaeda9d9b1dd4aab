package tui

import (
	"fmt"
	"regexp"
	"strings"

	"exoshift/wizard"
)

// longestSecret is how many bytes a pasted secret has at most: as many as are read from a file.
const longestSecret = 1 << 20

// paste takes a text that was pasted in one piece.
func (f *form) paste(text string) {
	row := f.row()
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return
	case row.kind == secretRow && (f.editor == nil || f.editor.source == typedHere):
		f.pasteSecret(row.field, trimmed)
	case f.editor == nil:
		f.note = "nothing can be pasted here"
		return
	case !f.fits(trimmed):
		return
	default:
		f.editor.insert(oneLine(row.field, trimmed))
	}
	if trimmed != text && f.note == "" {
		f.note = "white space around the pasted text was left out"
	}
}

// pasteSecret takes a secret at once: it may be long and have many lines.
func (f *form) pasteSecret(field wizard.Field, secret string) {
	if len(secret) > longestSecret {
		f.note = fmt.Sprintf("this is too long for a secret: %d bytes, at most %d", len(secret), longestSecret)
		return
	}
	if f.editor != nil {
		secret = f.editor.text() + secret
		f.editor = nil
	}
	if isReference(secret) {
		f.refer(field, printable(secret))
	} else {
		f.talk.keep(field.Key, secret)
		f.talk.touched[field.Key] = true
	}
}

// fits tells whether a text may be pasted where text is typed, and says why not: a secret would end up in the draft.
func (f *form) fits(text string) bool {
	switch {
	case len(text) > longestText:
		f.note = fmt.Sprintf("this is too long for an answer: %d bytes", len(text))
	case looksSecret(text) && f.editor.source == "":
		f.note = "this looks like a secret, which does not belong here"
	default:
		return true
	}
	return false
}

func looksSecret(text string) bool {
	return strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, `"auth`) || regexp.MustCompile(`\bEXO[0-9a-f]{20,}\b`).MatchString(text)
}

// oneLine makes one line of a text of several; lines become the items of a list.
func oneLine(field wizard.Field, text string) string {
	if shape := field.Shape(); shape == wizard.List || shape == wizard.Table {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), ", ")
	}
	return printable(text)
}
