package reach

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Version is that of the report's form.
const Version = 1

// resultOf makes the result of a finding.
func resultOf(vantage string, check Check, f Finding) Result {
	result := Result{
		ID: check.ID, Group: check.Group, Target: check.Target(), Vantage: vantage, Phase: check.Phase, Severity: check.Severity,
		Verdict: verdictOf(check, f), Class: f.Class, Layers: f.Layers.normal(), Evidence: with(f.Evidence, "", ""), Owner: check.Owner,
	}
	result.Hint = hintOf(check, result)
	return result
}

func verdictOf(check Check, f Finding) Verdict {
	switch {
	case f.Reached() && !f.Degraded:
		return OK
	case f.Reached() || check.Severity != Must:
		return Warn
	}
	return Fail
}

// normal returns layers in which each one has a state.
func (l Layers) normal() Layers {
	return Layers{
		DNS: cmp.Or(l.DNS, LayerNone), TCP: cmp.Or(l.TCP, LayerNone), TLS: cmp.Or(l.TLS, LayerNone), HTTP: cmp.Or(l.HTTP, LayerNone),
	}
}

// with returns a copy of an evidence that has one thing more; an empty key adds nothing.
func with(evidence map[string]string, key, value string) map[string]string {
	all := maps.Clone(evidence)
	if all == nil {
		all = map[string]string{}
	}
	if key != "" {
		all[key] = value
	}
	return all
}

// because begins what EvidenceSkipped says of a check that nobody chose to leave out.
const because = "because "

func skippedBecause(cause string) map[string]string {
	return map[string]string{EvidenceSkipped: because + cause}
}

// Chosen tells whether somebody decided to skip this check, other than that it could not be made.
func (r Result) Chosen() bool {
	return r.Verdict == Skipped && !strings.HasPrefix(r.Evidence[EvidenceSkipped], because)
}

// Unfinished tells whether a check was not made because the run ended before, or nobody told how it ended.
func (r Result) Unfinished() bool {
	cause := strings.TrimPrefix(r.Evidence[EvidenceSkipped], because)
	return r.Verdict == Skipped && !r.Chosen() && slices.Contains([]string{errStopped.Error(), errTimeUp.Error(), errUnsaid.Error()}, cause)
}

// Worst returns how a report ended as a whole: Fail if anything failed, Warn if there is a warning or a check that was
// not finished, OK otherwise.
func (r Report) Worst() Verdict {
	worst := OK
	for _, result := range r.Results {
		switch {
		case result.Verdict == Fail:
			return Fail
		case result.Verdict == Warn || result.Unfinished():
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
