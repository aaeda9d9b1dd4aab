package reach

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Version is the version of the report's format.
const Version = 1

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

// Layers without a state get None.
func (l Layers) normalize() Layers {
	return Layers{
		DNS: cmp.Or(l.DNS, LayerNone), TCP: cmp.Or(l.TCP, LayerNone), TLS: cmp.Or(l.TLS, LayerNone), HTTP: cmp.Or(l.HTTP, LayerNone),
	}
}

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

// skipPrefix begins the EvidenceSkipped of a check that the operator did not exclude.
const skipPrefix = "because "

func newSkipEvidence(cause string) map[string]string {
	return map[string]string{EvidenceSkipped: skipPrefix + cause}
}

// IsManualSkip reports whether the operator excluded this check; other checks are skipped because they could not run.
func (r Result) IsManualSkip() bool {
	return r.Verdict == Skipped && !strings.HasPrefix(r.Evidence[EvidenceSkipped], skipPrefix)
}

// IsUnfinished reports whether a check has no outcome because the run ended before, or the source did not report one.
func (r Result) IsUnfinished() bool {
	cause := strings.TrimPrefix(r.Evidence[EvidenceSkipped], skipPrefix)
	return r.Verdict == Skipped && !r.IsManualSkip() && slices.Contains([]string{errStopped.Error(), errTimeUp.Error(), errNotReported.Error()}, cause)
}

// ComputeVerdict returns the verdict of a whole report
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

// Count returns the number of results with a verdict.
func (r Report) Count(verdict Verdict) (n int) {
	for _, result := range r.Results {
		if result.Verdict == verdict {
			n++
		}
	}
	return n
}

// FormatLine writes the layers in a line: "DNS ok, TCP ok, TLS FAILED, HTTP -".
func (l Layers) FormatLine() string {
	words := make([]string, 0, 4)
	for _, layer := range l.list() {
		words = append(words, layer.name+" "+layer.state.formatState())
	}
	return strings.Join(words, ", ")
}

// FindFailed returns the name of the first layer that failed, or "".
func (l Layers) FindFailed() string {
	for _, layer := range l.list() {
		if layer.state == LayerFail {
			return layer.name
		}
	}
	return ""
}

type namedLayer struct {
	name  string
	state Layer
}

func (l Layers) list() []namedLayer {
	return []namedLayer{{"DNS", l.DNS}, {"TCP", l.TCP}, {"TLS", l.TLS}, {"HTTP", l.HTTP}}
}

func (l Layer) formatState() string {
	switch l {
	case LayerOK:
		return "ok"
	case LayerFail:
		return "FAILED"
	}
	return "-"
}
