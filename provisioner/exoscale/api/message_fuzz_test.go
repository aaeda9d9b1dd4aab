package api

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"message": "Quota exceeded"}`, `{"error": "a", "errors": ["b", {"message": "c", "path": "/d"}]}`, `{"title": 1, "detail": []}`,
		"<html>\x1b[2J", "", "null", `{"errors": null}`, `signature=abcdef&x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		text := redactor{"very-secret-value"}.redact(parseMessage(append(body, "very-secret-value"...)) + parseMessage(body))
		if n := utf8.RuneCountInString(text); n > maxMessage+1 || !utf8.ValidString(text) {
			t.Fatalf("%d characters of %q", n, body)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) || strings.Contains(text, "very-secret-value") {
			t.Fatalf("%q is told as %q", body, text)
		}
	})
}
