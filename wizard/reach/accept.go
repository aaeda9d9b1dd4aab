package reach

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// errUnsaid is why there is nothing to tell of a check that was made elsewhere.
var errUnsaid = errors.New("the report from there says nothing about it that makes sense")

// mostFacts is how many pieces of evidence a result may have.
const mostFacts = 40

// Accept makes the report on a task out of one that came from elsewhere. What was seen there is believed; what we know
// ourselves - which checks these are, from where, and what to do about a failure - is not taken from it.
func Accept(task Task, remote Report) Report {
	said := map[string]Result{}
	for _, r := range remote.Results {
		if _, twice := said[r.ID]; !twice {
			said[r.ID] = r
		}
	}
	report := Report{V: Version, Started: remote.Started, TookMS: max(remote.TookMS, 0), Results: make([]Result, len(task.Checks))}
	for i, check := range task.Checks {
		report.Results[i] = task.accepted(check, said[check.ID])
	}
	return report
}

func (t Task) accepted(check Check, r Result) Result {
	finding := Finding{Class: r.Class, Layers: r.Layers, Evidence: cleaned(r.Evidence), Degraded: r.Verdict == Warn}
	result := resultOf(t.Vantage, check, finding)
	switch {
	case r.Verdict == Skipped && t.maySkip(check.ID, r.Evidence[EvidenceSkipped]):
		result.Verdict, result.Class, result.Hint = Skipped, "", ""
	case r.Verdict != result.Verdict || !r.Class.known():
		result = resultOf(t.Vantage, check, Finding{})
		result.Verdict, result.Evidence = Skipped, skippedBecause(errUnsaid.Error())
	}
	return result
}

// maySkip tells whether a check may have been left out: because it could not be made, or as the task says.
func (t Task) maySkip(id, reason string) bool {
	return strings.HasPrefix(reason, because) || slices.ContainsFunc(t.Skips, func(s Skip) bool { return strings.EqualFold(s.ID, id) })
}

// known tells whether there is such a class; "" is none and is known.
func (c Class) known() bool {
	_, hinted := hints()[c]
	return c == "" || hinted
}

// cleaned returns evidence that may be shown.
func cleaned(evidence map[string]string) map[string]string {
	kept := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(evidence)) {
		if len(kept) < mostFacts && key != "" && Clean(key) == key {
			kept[key] = Clean(evidence[key])
		}
	}
	return kept
}
