package bootstraphost

import (
	"regexp"
	"strings"
	"unicode"
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
