package app

import (
	"bytes"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// What terminals put around a paste.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// longPaste collects a paste that is read in several pieces, and sends it whole: bubbletea copies everything again with each piece, which
// takes minutes for a megabyte.
type longPaste struct {
	isOpen bool
	text   []byte
}

// take removes from what was read what belongs to such a paste, and returns how much is left. A paste that is read in one piece is left
// to bubbletea.
func (l *longPaste) take(read []byte, send func(tea.Msg)) int {
	if !l.isOpen {
		from := bytes.LastIndex(read, []byte(pasteStart))
		if from < 0 || bytes.Contains(read[from:], []byte(pasteEnd)) {
			return len(read)
		}
		l.isOpen, l.text = true, append(l.text, read[from+len(pasteStart):]...)
		return from
	}
	searched := max(0, len(l.text)-len(pasteEnd))
	l.text = append(l.text, read...)
	end := bytes.Index(l.text[searched:], []byte(pasteEnd))
	if end < 0 {
		return 0
	}
	end += searched
	n := copy(read, l.text[end+len(pasteEnd):])
	send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: bytes.Runes(bytes.ToValidUTF8(l.text[:end], nil))})
	*l = longPaste{}
	return l.take(read[:n], send)
}

// findPartialKey returns where the start of a paste, or a letter, begins that is cut at the end of what was read; len(read) if none is.
// An escape alone is a key, unless more follows.
func findPartialKey(read []byte, moreFollows bool) int {
	shortest := len("\x1b[2")
	if moreFollows {
		shortest = len("\x1b")
	}
	for n := len(pasteStart) - 1; n >= shortest; n-- {
		if bytes.HasSuffix(read, []byte(pasteStart[:n])) {
			return len(read) - n
		}
	}
	from := len(read) - 1
	for from > 0 && !utf8.RuneStart(read[from]) {
		from--
	}
	if moreFollows && from >= 0 && !utf8.FullRune(read[from:]) {
		return from
	}
	return len(read)
}
