package vault

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
	return strings.Join(strings.Fields(string(plain)), " ")
}

// without takes values out of what a server said: some servers repeat what they do not understand.
func without(words string, values []string) string {
	for _, value := range values {
		if len(value) > 3 {
			words = strings.ReplaceAll(words, value, "…")
		}
	}
	return words
}
