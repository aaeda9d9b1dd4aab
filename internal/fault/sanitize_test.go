package fault_test

import (
	"strings"
	"testing"

	"exoshift/internal/fault"
)

func TestWhatOthersSayIsOneLineThatControlsNothing(t *testing.T) {
	for words, want := range map[string]string{
		" two\r\n\tlines ":       "two lines",
		"\x1b[31mred\x07\u202e!": "[31mred!",
		"bad \xff bytes":         "bad bytes",
		strings.Repeat("ä", 11):  strings.Repeat("ä", 10) + "…",
		strings.Repeat("ä", 10):  strings.Repeat("ä", 10),
	} {
		if got := fault.Sanitize(words, 10); got != want {
			t.Errorf("%q is told as %q, want %q", words, got, want)
		}
	}
}
