package vault

import (
	"strings"

	"exoshift/internal/text"
)

const maxMessage = 300

// sanitize is how errors repeat what a server said.
func sanitize(words string) string { return text.Sanitize(words, text.WithLimit(maxMessage)) }

// redactValues is clean, and takes values out: some servers repeat what they do not understand.
func redactValues(words string, values []string) string {
	words = text.Sanitize(words, text.WithLimit(10*maxMessage)) // first, as it may join the parts of a value
	for _, value := range values {
		if len(value) > 3 {
			words = strings.ReplaceAll(words, value, "…")
		}
	}
	return sanitize(words)
}
