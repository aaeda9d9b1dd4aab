package preflight

import (
	"strings"

	"exoshift/tui/theme"
	"exoshift/wizard/reach"
)

// Endpoint is one service, with its status from each source.
type Endpoint struct {
	Check   reach.Check
	Results []SourceResult // one for each source
}

// SourceResult is the status of a service from one source.
type SourceResult struct {
	Status        theme.Status // Waiting: not checked yet
	Result        reach.Result // the latest; without a verdict before that
	Command       string       // a command that reproduces the result
	NotApplicable bool         // it is not checked from there
}

// What is not applicable is not marked as waiting.
func (s SourceResult) renderMark(t theme.Theme) string {
	if s.NotApplicable && s.Status == theme.Waiting {
		return t.Mark(theme.Skipped)
	}
	return t.Mark(s.Status)
}

func (s SourceResult) describeStatus() string {
	if s.NotApplicable && s.Status == theme.Waiting {
		return "not from here"
	}
	return s.Status.Word()
}

// MapVerdict returns the status of a verdict.
func MapVerdict(v reach.Verdict) theme.Status {
	switch v {
	case reach.OK:
		return theme.OK
	case reach.Warn:
		return theme.Warn
	case reach.Fail:
		return theme.Failed
	case reach.Skipped:
		return theme.Skipped
	}
	return theme.Waiting
}

// FromSource returns the result from a source; it is waiting for a source that the endpoint does not have.
func (e *Endpoint) FromSource(vantage int) SourceResult {
	if vantage < 0 || vantage >= len(e.Results) {
		return SourceResult{}
	}
	return e.Results[vantage]
}

// Status returns the worst status from any source.
func (e *Endpoint) Status() theme.Status {
	worst := theme.Waiting
	for _, sight := range e.Results {
		worst = MergeStatus(worst, sight.Status)
	}
	return worst
}

// MergeStatus returns the more urgent of two statuses; any is more urgent than Waiting.
func MergeStatus(a, b theme.Status) theme.Status {
	if a == theme.Waiting || b != theme.Waiting && rank(b) < rank(a) {
		return b
	}
	return a
}

// rank orders statuses of endpoints: problems first, passed ones last.
func rank(s theme.Status) int { return [...]int{4, 3, 5, 1, 0, 2}[s] }

// Compare orders endpoints by urgency, the most urgent first.
func (e *Endpoint) Compare(other *Endpoint) int { return rank(e.Status()) - rank(other.Status()) }

// Host is the target in short: default ports are omitted.
func (e *Endpoint) Host() string {
	target := e.Target()
	for _, usual := range []string{":443", ":80"} {
		target = strings.TrimSuffix(target, usual)
	}
	return target
}

// Target is what is probed, "host:port".
func (e *Endpoint) Target() string {
	for _, sight := range e.Results {
		if sight.Result.Target != "" {
			return sight.Result.Target
		}
	}
	return e.Check.Target()
}
