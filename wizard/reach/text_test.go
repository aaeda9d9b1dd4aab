package reach_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"exoshift/wizard/reach"
)

func TestSanitize_ShortAndPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                      "plain",
		"  two \r\n words\t":         "two words",
		"\x1b[31mred\x1b[0m":         "red",
		"\x00\x07\u009b\u202e\ufeff": "",
		"bad \xff\xfe bytes":         "bad \uFFFD bytes",
		"Zürich":                     "Zürich",
		strings.Repeat("x", 200):     strings.Repeat("x", 200),
		strings.Repeat("ü", 5000):    strings.Repeat("ü", 200) + "…",
	} {
		if got := reach.Sanitize(text); got != want {
			t.Errorf("%.40q is %.250q, want %.250q", text, got, want)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("\x1b]0;title\x07 and more")
	f.Add(strings.Repeat("a ", 300))
	f.Fuzz(func(t *testing.T, text string) {
		got := reach.Sanitize(text)
		if utf8.RuneCountInString(got) > reach.MaxEvidence+1 || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q is %q", text, got)
		}
		if reach.Sanitize(got) != got && utf8.RuneCountInString(got) <= reach.MaxEvidence {
			t.Errorf("%q is cleaned twice", text)
		}
	})
}
