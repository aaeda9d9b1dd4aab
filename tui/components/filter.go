package components

import (
	"unicode/utf8"

	"exoshift/tui/cells"

	tea "github.com/charmbracelet/bubbletea"
)

// MaxFilterLength is in bytes.
const MaxFilterLength = 40

// A trailing space is kept, as more may follow.
func sanitizeTyped(typed []rune, ascii bool) string {
	if string(typed) == " " {
		return " "
	}
	return cells.SanitizeText(string(typed), ascii)
}

// EditFilter returns the word after a key, and whether it is still being edited.
func EditFilter(word string, k tea.KeyMsg, ascii bool) (longer string, typing bool) {
	switch k.Type {
	case tea.KeyEnter:
		return word, false
	case tea.KeyEsc:
		return "", false
	case tea.KeyBackspace:
		_, last := utf8.DecodeLastRuneInString(word)
		return word[:len(word)-last], true
	case tea.KeyRunes, tea.KeySpace:
		if longer := word + sanitizeTyped(k.Runes, ascii); len(longer) <= MaxFilterLength {
			return longer, true
		}
	}
	return word, true
}
