package provisioner

import (
	"cmp"
	"slices"
	"time"
)

// SortFindings returns findings, the surest first and of these the one that holds for the longest time.
func SortFindings(findings []Event) []Event {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b Event) int {
		return cmp.Or(cmp.Compare(rankConfidence(a), rankConfidence(b)), a.StartTime().Compare(b.StartTime()))
	})
	return sorted
}

// rankConfidence orders the words for how sure a finding is.
func rankConfidence(finding Event) int {
	if i := slices.Index([]string{"high", "medium", "low"}, finding.Confidence); i >= 0 {
		return i
	}
	return 3
}

// StartTime returns since when what an event tells has been so: since it was told, if it does not say.
func (e Event) StartTime() time.Time {
	if e.Since == nil {
		return e.Time
	}
	return *e.Since
}
