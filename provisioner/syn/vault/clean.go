package vault

import (
	"strings"

	"exoshift/internal/text"
)

const maxWords = 300

// clean is how errors repeat what a server said.
func clean(words string) string { return text.Sanitize(words, text.Limit(maxWords)) }

// without is clean, and takes values out: some servers repeat what they do not understand.
func without(words string, values []string) string {
	words = text.Sanitize(words, text.Limit(10*maxWords)) // first, as it may join the parts of a value
	for _, value := range values {
		if len(value) > 3 {
			words = strings.ReplaceAll(words, value, "…")
		}
	}
	return clean(words)
}
