package fault

import (
	"strings"
	"unicode"
)

// Sanitize returns foreign text as an error may quote it: one line of at most that many characters, without terminal control
// sequences.
func Sanitize(words string, most int) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, strings.ToValidUTF8(words, ""))
	letters := []rune(strings.Join(strings.Fields(plain), " "))
	if len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return string(letters)
}
