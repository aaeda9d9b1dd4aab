package reach

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"exoshift/state"
)

// Keys of the evidence that skips leave behind.
const (
	EvidenceUntil       = "until"        // the day from which on a skipped check is made again, e.g. "2027-01-31"
	EvidenceExpiredSkip = "skip_expired" // a skip that does not count any more: "<reason> until <day>"
)

// maxReasonLength is the length in letters of a reason that is taken.
const maxReasonLength = 200

// ParseSkip reads why a check is not made, "<reason>" or "<reason> until <YYYY-MM-DD>". Without a day it holds for this
// run only. The ID is not part of the text.
func ParseSkip(text string) (Skip, error) {
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }) {
		return Skip{}, errors.New("the reason holds characters that cannot be printed; write it in one line of plain text")
	}
	skip := Skip{Reason: text}
	if parts := regexp.MustCompile(`(?i)^(.*?)[\s,;(]*\buntil\s+([^\s)]*\d[^\s)]*)\)?$`).FindStringSubmatch(text); parts != nil {
		until, err := time.Parse(time.DateOnly, parts[2])
		if err != nil {
			return Skip{}, fmt.Errorf("%q is no day of the calendar; write it as in \"until 2027-01-31\"", parts[2])
		}
		skip = Skip{Reason: parts[1], Until: until}
	}
	switch {
	case skip.Reason == "":
		return Skip{}, errors.New("the reason is missing; write it as in \"the firewall is being changed until 2027-01-31\"")
	case utf8.RuneCountInString(skip.Reason) > maxReasonLength:
		return Skip{}, fmt.Errorf("the reason is longer than %d letters; name a ticket instead", maxReasonLength)
	}
	return skip, nil
}

// ListSkips returns what the answers leave out, by their IDs in order.
func ListSkips(spec state.Spec) ([]Skip, error) {
	var skips []Skip
	for _, id := range slices.Sorted(maps.Keys(spec.Checks.Skip)) {
		skip, err := ParseSkip(spec.Checks.Skip[id])
		if err != nil {
			return nil, fmt.Errorf("checks.skip of %s: %w", id, err)
		}
		skip.ID = id
		skips = append(skips, skip)
	}
	return skips, nil
}

// String returns the text that ParseSkip reads.
func (s Skip) String() string {
	if s.Until.IsZero() {
		return s.Reason
	}
	return s.Reason + " until " + s.Until.Format(time.DateOnly)
}

// IsExpired tells whether the check is made again.
func (s Skip) IsExpired(now time.Time) bool { return !s.Until.IsZero() && !now.Before(s.Until) }

func (s Skip) toEvidence() map[string]string {
	evidence := map[string]string{EvidenceSkipped: s.Reason}
	if !s.Until.IsZero() {
		evidence[EvidenceUntil] = s.Until.Format(time.DateOnly)
	}
	return evidence
}

// findActiveSkip returns the skip of a check that counts now.
func findActiveSkip(skips []Skip, id string, now time.Time) (Skip, bool) {
	return findSkip(skips, id, func(s Skip) bool { return !s.IsExpired(now) })
}

// findExpiredSkip returns the skip of a check that does not count any more.
func findExpiredSkip(skips []Skip, id string, now time.Time) (Skip, bool) {
	return findSkip(skips, id, func(s Skip) bool { return s.IsExpired(now) })
}

func findSkip(skips []Skip, id string, counts func(Skip) bool) (Skip, bool) {
	i := slices.IndexFunc(skips, func(s Skip) bool { return strings.EqualFold(s.ID, id) && counts(s) })
	if i < 0 {
		return Skip{}, false
	}
	return skips[i], true
}
