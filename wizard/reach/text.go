package reach

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxEvidence is the limit, in characters, of any foreign text.
const MaxEvidence = 200

// Sanitize returns foreign text without control characters, on one line and no longer than MaxEvidence.
func Sanitize(text string) string {
	if len(text) > 16*MaxEvidence {
		text = text[:16*MaxEvidence]
	}
	var kept strings.Builder
	count, gap := 0, ""
	for _, r := range text {
		if unicode.IsSpace(r) || r == utf8.RuneError || !unicode.IsPrint(r) {
			if count > 0 {
				gap = " "
			}
			continue
		}
		if count += len(gap) + 1; count > MaxEvidence {
			return kept.String() + "…"
		}
		kept.WriteString(gap)
		kept.WriteRune(r)
		gap = ""
	}
	return kept.String()
}
