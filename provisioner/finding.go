package provisioner

import (
	"cmp"
	"slices"
	"time"
)

// Surest returns findings, the surest first and of these the one that holds for the longest time.
func Surest(findings []Event) []Event {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b Event) int {
		return cmp.Or(cmp.Compare(doubt(a), doubt(b)), a.Beginning().Compare(b.Beginning()))
	})
	return sorted
}

// doubt orders the words for how sure a finding is.
func doubt(finding Event) int {
	if i := slices.Index([]string{"high", "medium", "low"}, finding.Confidence); i >= 0 {
		return i
	}
	return 3
}

// Beginning returns since when what an event tells has been so: since it was told, if it does not say.
func (e Event) Beginning() time.Time {
	if e.Since == nil {
		return e.Time
	}
	return *e.Since
}
