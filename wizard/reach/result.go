package reach

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Version is that of the report's form.
const Version = 1

// newResult makes the result of a finding.
func newResult(vantage string, check Check, f Finding) Result {
	result := Result{
		ID: check.ID, Group: check.Group, Target: check.Target(), Source: vantage, Phase: check.Phase, Severity: check.Severity,
		Verdict: computeVerdict(check, f), Class: f.Class, Layers: f.Layers.normalize(), Evidence: withEvidence(f.Evidence, "", ""), Owner: check.Owner,
	}
	result.Hint = buildHint(check, result)
	return result
}

func computeVerdict(check Check, f Finding) Verdict {
	switch {
	case f.IsReached() && !f.Degraded:
		return OK
	case f.IsReached() || check.Severity != Must:
		return Warn
	}
	return Fail
}

// normalize returns layers in which each one has a state.
func (l Layers) normalize() Layers {
	return Layers{
		DNS: cmp.Or(l.DNS, LayerNone), TCP: cmp.Or(l.TCP, LayerNone), TLS: cmp.Or(l.TLS, LayerNone), HTTP: cmp.Or(l.HTTP, LayerNone),
	}
}

// withEvidence returns a copy of an evidence that has one thing more; an empty key adds nothing.
func withEvidence(evidence map[string]string, key, value string) map[string]string {
	all := maps.Clone(evidence)
	if all == nil {
		all = map[string]string{}
	}
	if key != "" {
		all[key] = value
	}
	return all
}

// skipPrefix begins what EvidenceSkipped says of a check that nobody chose to leave out.
const skipPrefix = "because "

func newSkipEvidence(cause string) map[string]string {
	return map[string]string{EvidenceSkipped: skipPrefix + cause}
}

// IsManualSkip tells whether somebody decided to skip this check, other than that it could not be made.
func (r Result) IsManualSkip() bool {
	return r.Verdict == Skipped && !strings.HasPrefix(r.Evidence[EvidenceSkipped], skipPrefix)
}

// IsUnfinished tells whether a check was not made because the run ended before, or nobody told how it ended.
func (r Result) IsUnfinished() bool {
	cause := strings.TrimPrefix(r.Evidence[EvidenceSkipped], skipPrefix)
	return r.Verdict == Skipped && !r.IsManualSkip() && slices.Contains([]string{errStopped.Error(), errTimeUp.Error(), errNotReported.Error()}, cause)
}

// ComputeVerdict returns how a report ended as a whole: Fail if anything failed, Warn if there is a warning or a check that was
// not finished, OK otherwise.
func (r Report) ComputeVerdict() Verdict {
	worst := OK
	for _, result := range r.Results {
		switch {
		case result.Verdict == Fail:
			return Fail
		case result.Verdict == Warn || result.IsUnfinished():
			worst = Warn
		}
	}
	return worst
}

// Count returns how many results have a verdict.
func (r Report) Count(verdict Verdict) (n int) {
	for _, result := range r.Results {
		if result.Verdict == verdict {
			n++
		}
	}
	return n
}
