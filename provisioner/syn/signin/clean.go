package signin

import (
	"strings"
	"unicode"
)

const maxWords = 300 // runes

// clean bounds what a server said and takes out what could control a terminal.
func clean(words string) string {
	plain := []rune(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, strings.ToValidUTF8(words, "")))
	if len(plain) > maxWords {
		return string(plain[:maxWords]) + "…"
	}
	return strings.TrimSpace(string(plain))
}
