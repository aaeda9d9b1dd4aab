package prompt

import (
	"fmt"
	"strconv"
	"strings"

	"exoshift/internal/text"
	"exoshift/wizard"
)

// toASCII replaces punctuation that some terminals and screen readers do not support.
func toASCII(text string) string {
	return strings.NewReplacer("…", "...", "–", "-", "—", "-", "·", ",", "×", "x", "“", `"`, "”", `"`, "’", "'", "→", "to",
		"≥", "at least ", "≤", "at most ", "✓", "ok", "✗", "failed").Replace(text)
}

// maxQuoted limits quoted input, in characters.
const maxQuoted = 40

// quoteInput omits long input: it may be a secret in the wrong place.
func quoteInput(text string) string {
	if len(text) > maxQuoted {
		return "that"
	}
	return strconv.Quote(text)
}

func truncateMiddle(value string) string {
	const most, part = 70, 30
	letters := []rune(value)
	if len(letters) <= most {
		return value
	}
	return string(letters[:part]) + "..." + string(letters[len(letters)-part:])
}

func formatNumbered(choices []wizard.Choice) []string {
	lines := make([]string, len(choices))
	for i, choice := range choices {
		lines[i] = fmt.Sprintf("%d. %s", i+1, text.Join(": ", choice.Value, text.Sentence(choice.Note)))
	}
	return lines
}

// findChoice returns the index of the choice that a number or a value selects, or -1.
func findChoice(choices []wizard.Choice, text string) int {
	for i, choice := range choices {
		if strings.EqualFold(choice.Value, text) {
			return i
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(choices) {
		return n - 1
	}
	return -1
}
