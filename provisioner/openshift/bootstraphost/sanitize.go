package bootstraphost

import (
	"regexp"
	"strings"

	"exoshift/internal/text"
)

const maxLine = 400

// secretPattern matches what a journal may contain by mistake: private keys, tokens, passwords, users in URLs.
var secretPattern = regexp.MustCompile(strings.Join([]string{
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
	`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`,
	`"(?:auth|password|token)\\*"\s*:\s*\\*"[^"\\]*`,
	`\b(?:password|token)=\S+`,
	`://[^/\s@]+@`,
}, "|"))

// sanitizeLine returns a line of the journal without secrets.
func sanitizeLine(line string) string {
	return text.Sanitize(secretPattern.ReplaceAllString(text.Sanitize(line), "***"), text.WithLimit(maxLine))
}
