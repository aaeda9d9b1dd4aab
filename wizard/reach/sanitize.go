package reach

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"exoshift/internal/text"
)

var errNotReported = errors.New("invalid result in the remote report")

const maxEvidenceKeys = 40

// SanitizeReport sanitizes a report that a remote source returned for a task. Findings are taken from it; the checks, the
// source and the hints are the task's.
func SanitizeReport(task Task, remote Report) Report {
	results := map[string]Result{}
	for _, r := range remote.Results {
		if _, twice := results[r.ID]; !twice {
			results[r.ID] = r
		}
	}
	report := Report{V: Version, Started: remote.Started, TookMS: max(remote.TookMS, 0), Results: make([]Result, len(task.Checks))}
	for i, check := range task.Checks {
		report.Results[i] = task.sanitizeResult(check, results[check.ID])
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

// A check may be skipped because it could not run, or as the task says.
func (t Task) isSkipAllowed(id, reason string) bool {
	return strings.HasPrefix(reason, skipPrefix) || slices.ContainsFunc(t.Skips, func(s Skip) bool { return strings.EqualFold(s.ID, id) })
}

func (c Class) isKnown() bool {
	_, hinted := classHints[c]
	return c == "" || hinted
}

func sanitizeEvidence(evidence map[string]string) map[string]string {
	kept := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(evidence)) {
		if len(kept) < maxEvidenceKeys && key != "" && Sanitize(key) == key {
			kept[key] = Sanitize(evidence[key])
		}
	}
	return kept
}

// MaxEvidence is the limit, in characters, of any foreign text.
const MaxEvidence = 200

// Sanitize returns foreign text on one line and no longer than MaxEvidence.
func Sanitize(foreign string) string { return text.Sanitize(foreign, text.WithLimit(MaxEvidence)) }
