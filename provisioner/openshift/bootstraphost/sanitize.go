package bootstraphost

import (
	"regexp"
	"strings"
	"unicode"
)

// maxLine bounds, in characters, a line that somebody else wrote.
const maxLine = 400

// secretPattern are what a journal may hold by mistake: private keys, tokens, passwords, users in URLs.
var secretPattern = regexp.MustCompile(strings.Join([]string{
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
	`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`,
	`"(?:auth|password|token)\\*"\s*:\s*\\*"[^"\\]*`,
	`\b(?:password|token)=\S+`,
	`://[^/\s@]+@`,
}, "|"))

// sanitizeLine makes a line of a text, without control characters and secrets, and not too long.
func sanitizeLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	text = secretPattern.ReplaceAllString(strings.Join(strings.Fields(text), " "), "***")
	if runes := []rune(text); len(runes) > maxLine {
		text = string(runes[:maxLine]) + "…"
	}
	return text
}
