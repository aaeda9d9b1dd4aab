package fault

import (
	"strings"
	"unicode"
)

// Sanitize returns words of somebody else as an error may repeat them: one line, at most that many letters, and nothing that
// could control a terminal.
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
