package reach

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// errNotReported is why there is nothing to tell of a check that was made elsewhere.
var errNotReported = errors.New("the report from there says nothing about it that makes sense")

// maxEvidenceKeys is how many pieces of evidence a result may have.
const maxEvidenceKeys = 40

// SanitizeReport makes the report on a task out of one that came from elsewhere. What was seen there is believed; what we know
// ourselves - which checks these are, from where, and what to do about a failure - is not taken from it.
func SanitizeReport(task Task, remote Report) Report {
	said := map[string]Result{}
	for _, r := range remote.Results {
		if _, twice := said[r.ID]; !twice {
			said[r.ID] = r
		}
	}
	report := Report{V: Version, Started: remote.Started, TookMS: max(remote.TookMS, 0), Results: make([]Result, len(task.Checks))}
	for i, check := range task.Checks {
		report.Results[i] = task.sanitizeResult(check, said[check.ID])
	}
	return report
}

func (t Task) sanitizeResult(check Check, r Result) Result {
	finding := Finding{Class: r.Class, Layers: r.Layers, Evidence: sanitizeEvidence(r.Evidence), Degraded: r.Verdict == Warn}
	result := newResult(t.Source, check, finding)
	switch {
	case r.Verdict == Skipped && t.isSkipAllowed(check.ID, r.Evidence[EvidenceSkipped]):
		result.Verdict, result.Class, result.Hint = Skipped, "", ""
	case r.Verdict != result.Verdict || !r.Class.isKnown():
		result = newResult(t.Source, check, Finding{})
		result.Verdict, result.Evidence = Skipped, newSkipEvidence(errNotReported.Error())
	}
	return result
}

// isSkipAllowed tells whether a check may have been left out: because it could not be made, or as the task says.
func (t Task) isSkipAllowed(id, reason string) bool {
	return strings.HasPrefix(reason, skipPrefix) || slices.ContainsFunc(t.Skips, func(s Skip) bool { return strings.EqualFold(s.ID, id) })
}

// isKnown tells whether there is such a class; "" is none and is known.
func (c Class) isKnown() bool {
	_, hinted := listHints()[c]
	return c == "" || hinted
}

// sanitizeEvidence returns evidence that may be shown.
func sanitizeEvidence(evidence map[string]string) map[string]string {
	kept := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(evidence)) {
		if len(kept) < maxEvidenceKeys && key != "" && Sanitize(key) == key {
			kept[key] = Sanitize(evidence[key])
		}
	}
	return kept
}
