package text_test

import (
	"testing"

	"exoshift/internal/text"
)

func TestSentence_EndsWithPeriod(t *testing.T) {
	for given, want := range map[string]string{"": "", " done ": "done.", "done.": "done.", "why?": "why?", "path:": "path:", "asking…": "asking…"} {
		if got := text.Sentence(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}

func TestJoin_LeavesOutEmptyParts(t *testing.T) {
	if got := text.Join(", ", "", "a", "", "b"); got != "a, b" {
		t.Errorf("got %q", got)
	}
}

func TestCapitalize_FirstLetter(t *testing.T) {
	for given, want := range map[string]string{"": "", "ärger": "Ärger", "API": "API"} {
		if got := text.Capitalize(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}

func TestCounts_KeepsTheGivenOrder(t *testing.T) {
	c := text.NewCounts("ok", "failed")
	for _, word := range []string{"failed", "other", "ok", "ok"} {
		c.Add(word)
	}
	if got := c.String(); got != "2 ok, 1 failed, 1 other" || c.Total() != 4 {
		t.Errorf("got %q, %d", got, c.Total())
	}
}
