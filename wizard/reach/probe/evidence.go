package probe

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxEvidence is how many characters of anything remote are kept.
const maxEvidence = 200

// clean returns what somebody else said without control characters, on one line and no longer than maxEvidence.
func clean(text string) string {
	if len(text) > 16*maxEvidence {
		text = text[:16*maxEvidence]
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
		if count += len(gap) + 1; count > maxEvidence {
			return kept.String() + "…"
		}
		kept.WriteString(gap)
		kept.WriteRune(r)
		gap = ""
	}
	return kept.String()
}

// note keeps a piece of evidence, cleaned; nothing is kept of nothing.
func (a *attempt) note(key, value string) {
	if value = clean(value); value != "" {
		a.evidence[key] = value
	}
}

// noteTime keeps how long something took.
func (a *attempt) noteTime(key string, since time.Time) {
	a.evidence[key] = strconv.FormatInt(time.Since(since).Milliseconds(), 10)
}
