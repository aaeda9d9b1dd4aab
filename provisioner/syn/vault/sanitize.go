package vault

import (
	"strings"

	"exoshift/internal/text"
)

const maxMessage = 300

func sanitize(words string) string { return text.Sanitize(words, text.WithLimit(maxMessage)) }

// redactValues sanitizes, and removes the values: some servers repeat what they cannot parse.
func redactValues(words string, values []string) string {
	words = text.Sanitize(words, text.WithLimit(10*maxMessage)) // first, because it may join the parts of a value
	for _, value := range values {
		if len(value) > 3 {
			words = strings.ReplaceAll(words, value, "…")
		}
	}
	return sanitize(words)
}
