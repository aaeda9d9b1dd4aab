package pane

import (
	"strings"

	"exoshift/wizard/reach"
)

// Endpoint is one service, and how it is from each vantage.
type Endpoint struct {
	Check   reach.Check
	Results []SourceResult // one for each vantage
}

// SourceResult is how a service is from one vantage.
type SourceResult struct {
	Status        Status       // Waiting: nobody has looked
	Result        reach.Result // how it was last; without a verdict before that
	Command       string       // a command that shows the same
	NotApplicable bool         // it is not looked at from there
}

// renderMark is the status as a symbol; what nobody will look at does not wait for it.
func (s SourceResult) renderMark(t Theme) string {
	if s.NotApplicable && s.Status == Waiting {
		return t.Mark(Skipped)
	}
	return t.Mark(s.Status)
}

// describeStatus is the status in one word.
func (s SourceResult) describeStatus() string {
	if s.NotApplicable && s.Status == Waiting {
		return "not from here"
	}
	return s.Status.Word()
}

// MapVerdict is the status of a verdict.
func MapVerdict(v reach.Verdict) Status {
	switch v {
	case reach.OK:
		return OK
	case reach.Warn:
		return Warn
	case reach.Fail:
		return Failed
	case reach.Skipped:
		return Skipped
	}
	return Waiting
}

// FromSource is how it is from a vantage; nobody has looked from one that it does not have.
func (e *Endpoint) FromSource(vantage int) SourceResult {
	if vantage < 0 || vantage >= len(e.Results) {
		return SourceResult{}
	}
	return e.Results[vantage]
}

// Status is how it is from wherever it is worst.
func (e *Endpoint) Status() Status {
	worst := Waiting
	for _, sight := range e.Results {
		worst = MergeStatus(worst, sight.Status)
	}
	return worst
}

// MergeStatus returns the one of two statuses that needs attention more; waiting says nothing.
func MergeStatus(a, b Status) Status {
	if a == Waiting || b != Waiting && b.rank() < a.rank() {
		return b
	}
	return a
}

// rank orders endpoints: what needs attention comes first, what is well last.
func (s Status) rank() int { return [...]int{4, 3, 5, 1, 0, 2}[s] }

// Compare tells whether an endpoint needs attention more than another.
func (e *Endpoint) Compare(other *Endpoint) int { return e.Status().rank() - other.Status().rank() }

// Host is the target as short as it is clear: ports that everybody expects are left out.
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
