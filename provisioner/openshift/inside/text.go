package inside

import (
	"regexp"
	"strings"
	"unicode"
)

// longestLine bounds, in characters, a line that somebody else wrote.
const longestLine = 400

// secrets are what a journal may hold by mistake: private keys, tokens, passwords, users in URLs.
var secrets = regexp.MustCompile(strings.Join([]string{
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
	`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`,
	`"(?:auth|password|token)\\*"\s*:\s*\\*"[^"\\]*`,
	`\b(?:password|token)=\S+`,
	`://[^/\s@]+@`,
}, "|"))

// oneLine makes a line of a text, without control characters and secrets, and not too long.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	text = secrets.ReplaceAllString(strings.Join(strings.Fields(text), " "), "***")
	if runes := []rune(text); len(runes) > longestLine {
		text = string(runes[:longestLine]) + "…"
	}
	return text
}
