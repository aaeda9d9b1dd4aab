package reach

import (
	"errors"
	"slices"
	"strconv"
	"time"
)

// progress turns outcomes into results. A failure is not told before all that the check needs has ended: it may only
// be the consequence of another. It belongs to one goroutine.
type progress struct {
	task    Task
	now     time.Time
	tell    func(Result)
	results []Result
	byID    map[string]int // the first check of each ID
	lost    []string       // why a check is of no use to those who need it, e.g. "NET-RH-004 failed"
	settled []bool
	pending []outcome
}

func newProgress(task Task, now time.Time, tell func(Result)) *progress {
	count := len(task.Checks)
	s := &progress{
		task: task, now: now, tell: tell, byID: map[string]int{},
		results: make([]Result, count), lost: make([]string, count), settled: make([]bool, count),
	}
	for i, check := range slices.Backward(task.Checks) {
		s.byID[check.ID] = i
	}
	for i, check := range task.Checks {
		if skip, skipped := effective(task.Skips, check.ID, now); skipped {
			s.skip(i, skip.evidence(), check.ID+" was skipped")
		}
	}
	return s
}

// wanted returns the places of the checks that are to be probed.
func (s *progress) wanted() (places []int) {
	for i, settled := range s.settled {
		if !settled {
			places = append(places, i)
		}
	}
	return places
}

// take takes in how a probe ended, and settles what can be settled now.
func (s *progress) take(o outcome) {
	s.pending = append(s.pending, o)
	s.settle()
}

// close settles what waits for itself, which happens where checks need each other.
func (s *progress) close() {
	for len(s.pending) > 0 {
		slices.SortFunc(s.pending, func(a, b outcome) int { return a.index - b.index })
		first := s.pending[0]
		s.pending = s.pending[1:]
		s.conclude(first)
		s.settle()
	}
}

func (s *progress) settle() {
	for before := -1; before != len(s.pending); {
		before = len(s.pending)
		s.pending = slices.DeleteFunc(s.pending, func(o outcome) bool {
			ready := o.missed != nil || o.finding.Reached() || s.needsSettled(o.index)
			if ready {
				s.conclude(o)
			}
			return ready
		})
	}
}

func (s *progress) needsSettled(i int) bool {
	return !slices.ContainsFunc(s.task.Checks[i].Needs, func(id string) bool {
		need, known := s.byID[id]
		return known && !s.settled[need]
	})
}

// conclude makes the result of a check.
func (s *progress) conclude(o outcome) {
	check := s.task.Checks[o.index]
	if o.finding.Unknown != "" {
		o.missed = errors.New(o.finding.Unknown)
	}
	if o.missed != nil {
		s.skip(o.index, skippedBecause(o.missed.Error()), check.ID+" was skipped")
		return
	}
	if cause := s.causeOf(check); cause != "" && !o.finding.Reached() {
		s.skip(o.index, skippedBecause(cause), cause)
		return
	}
	if !o.finding.Reached() {
		s.lost[o.index] = check.ID + " failed"
	}
	if skip, expired := overdue(s.task.Skips, check.ID, s.now); expired {
		o.finding.Evidence = with(o.finding.Evidence, EvidenceExpiredSkip, skip.String())
	}
	s.finish(o.index, resultOf(s.task.Vantage, check, o.finding))
}

// causeOf returns why a check that failed says nothing by itself, or "".
func (s *progress) causeOf(check Check) string {
	for _, id := range check.Needs {
		if need, known := s.byID[id]; known && s.settled[need] && s.lost[need] != "" {
			return s.lost[need]
		}
	}
	return ""
}

func (s *progress) skip(i int, evidence map[string]string, lost string) {
	s.lost[i] = lost
	result := resultOf(s.task.Vantage, s.task.Checks[i], Finding{})
	result.Verdict, result.Evidence = Skipped, evidence
	s.finish(i, result)
}

func (s *progress) finish(i int, result Result) {
	s.settled[i], s.results[i] = true, result
	if s.tell != nil {
		s.tell(result)
	}
}

// timed notes how long a probe took, unless it said so itself.
func timed(f Finding, took time.Duration) Finding {
	if f.Evidence[EvidenceTime] == "" {
		f.Evidence = with(f.Evidence, EvidenceTime, strconv.FormatInt(took.Milliseconds(), 10))
	}
	return f
}
