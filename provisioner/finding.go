package provisioner

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"exoshift/internal/stable"
)

// LikelyCause is between the error of a wait that gave up and the cause of a finding.
const LikelyCause = "; most likely: "

// OmitFindings returns a step that failed without what findings say about it, where they are shown beside it.
func (s StepView) OmitFindings(findings []Event) StepView {
	for _, finding := range findings {
		s.Text = strings.TrimSuffix(s.Text, LikelyCause+finding.Text)
		if s.Hint == finding.Hint {
			s.Hint = ""
		}
	}
	return s
}

// SortFindings returns findings: first what blocks the earliest phase, and of these the earliest part of it, then by falling
// confidence, and of these the one that holds for the longest time.
func SortFindings(findings []Event) []Event {
	sorted := slices.Clone(findings)
	stable.Sort(sorted, func(a, b Event) int {
		return cmp.Or(rankBlocked(a)-rankBlocked(b), a.Order-b.Order, cmp.Compare(rankConfidence(a), rankConfidence(b)), a.StartTime().Compare(b.StartTime()))
	})
	return sorted
}

func rankBlocked(finding Event) int {
	phases := []string{"bootstrap", "control-plane", "nodes", "operators"}
	if i := slices.Index(phases, finding.Blocks); i >= 0 {
		return i
	}
	return len(phases)
}

func rankConfidence(finding Event) int {
	if i := slices.Index([]string{"high", "medium", "low"}, finding.Confidence); i >= 0 {
		return i
	}
	return 3
}

// StartTime returns Since, or the event's time if it has none.
func (e Event) StartTime() time.Time {
	if e.Since == nil {
		return e.Time
	}
	return *e.Since
}
