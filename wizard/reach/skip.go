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

// Keys of the evidence of skips.
const (
	EvidenceUntil       = "until"        // the day from which on a skipped check is made again, e.g. "2027-01-31"
	EvidenceExpiredSkip = "skip_expired" // an expired skip: "<reason> until <day>"
)

// In characters.
const maxReasonLength = 200

var untilPattern = regexp.MustCompile(`(?i)^(.*?)[\s,;(]*\buntil\s+([^\s)]*\d[^\s)]*)\)?$`)

// ParseSkip parses the reason of an excluded check, and the last day of its exclusion, e.g. "no telemetry until 2027-01-31".
func ParseSkip(text string) (Skip, error) {
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }) {
		return Skip{}, errors.New("the reason contains unprintable characters; use one line of plain text")
	}
	skip := Skip{Reason: text}
	if parts := untilPattern.FindStringSubmatch(text); parts != nil {
		until, err := time.Parse(time.DateOnly, parts[2])
		if err != nil {
			return Skip{}, fmt.Errorf("%q is not a valid date; use the form \"until 2027-01-31\"", parts[2])
		}
		skip = Skip{Reason: parts[1], Until: until}
	}
	switch {
	case skip.Reason == "":
		return Skip{}, errors.New("the reason is missing, e.g. \"the firewall is being changed until 2027-01-31\"")
	case utf8.RuneCountInString(skip.Reason) > maxReasonLength:
		return Skip{}, fmt.Errorf("the reason is longer than %d characters; refer to a ticket instead", maxReasonLength)
	}
	return skip, nil
}

// ListSkips returns the checks that the answers exclude, in the order of their IDs.
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

// IsExpired reports whether the check runs again.
func (s Skip) IsExpired(now time.Time) bool { return !s.Until.IsZero() && !now.Before(s.Until) }

func (s Skip) toEvidence() map[string]string {
	evidence := map[string]string{EvidenceSkipped: s.Reason}
	if !s.Until.IsZero() {
		evidence[EvidenceUntil] = s.Until.Format(time.DateOnly)
	}
	return evidence
}

// Apply returns a result as that of a check that is skipped.
func (s Skip) Apply(r Result) Result {
	r.Verdict, r.Class, r.Hint = Skipped, "", ""
	r.Layers = Layers{DNS: LayerNone, TCP: LayerNone, TLS: LayerNone, HTTP: LayerNone}
	r.Evidence = s.toEvidence()
	return r
}

func findActiveSkip(skips []Skip, id string, now time.Time) (Skip, bool) {
	return findSkip(skips, id, func(s Skip) bool { return !s.IsExpired(now) })
}

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
