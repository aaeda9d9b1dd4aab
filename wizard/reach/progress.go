package reach

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"exoshift/internal/stable"
)

// progress turns outcomes into results. A failure is not reported before all checks that it needs have ended: it may be
// their consequence. It belongs to one goroutine.
type progress struct {
	task     Task
	now      time.Time
	emit     func(Result)
	results  []Result
	byID     map[string]int // the first check of each ID
	unusable []string       // why dependent checks are skipped, e.g. "NET-RH-004 failed"
	settled  []bool
	pending  []outcome
}

func newProgress(task Task, now time.Time, emit func(Result)) *progress {
	count := len(task.Checks)
	s := &progress{
		task: task, now: now, emit: emit, byID: map[string]int{},
		results: make([]Result, count), unusable: make([]string, count), settled: make([]bool, count),
	}
	for i, check := range slices.Backward(task.Checks) {
		s.byID[check.ID] = i
	}
	for i, check := range task.Checks {
		if skip, skipped := findActiveSkip(task.Skips, check.ID, now); skipped {
			s.skip(i, skip.toEvidence(), check.ID+" was skipped")
		}
	}
	return s
}

func (s *progress) listWanted() (places []int) {
	for i, settled := range s.settled {
		if !settled {
			places = append(places, i)
		}
	}
	return places
}

// record also resolves the checks that no longer wait for this one.
func (s *progress) record(o outcome) {
	s.pending = append(s.pending, o)
	s.finishReady()
}

// close resolves checks that need each other.
func (s *progress) close() {
	for len(s.pending) > 0 {
		stable.Sort(s.pending, func(a, b outcome) int { return a.index - b.index })
		first := s.pending[0]
		s.pending = s.pending[1:]
		s.resolve(first)
		s.finishReady()
	}
}

func (s *progress) finishReady() {
	for before := -1; before != len(s.pending); {
		before = len(s.pending)
		s.pending = slices.DeleteFunc(s.pending, func(o outcome) bool {
			ready := o.err != nil || o.finding.IsReached() || s.hasSettledNeeds(o.index)
			if ready {
				s.resolve(o)
			}
			return ready
		})
	}
}

func (s *progress) hasSettledNeeds(i int) bool {
	return !slices.ContainsFunc(s.task.Checks[i].Needs, func(id string) bool {
		need, known := s.byID[id]
		return known && !s.settled[need]
	})
}

func (s *progress) resolve(o outcome) {
	check := s.task.Checks[o.index]
	if o.finding.Unknown != "" {
		o.err = errors.New(o.finding.Unknown)
	}
	if o.err != nil {
		s.skip(o.index, newSkipEvidence(o.err.Error()), check.ID+" was skipped")
		return
	}
	if cause := s.findCause(check); cause != "" && !o.finding.IsReached() {
		s.skip(o.index, newSkipEvidence(cause), cause)
		return
	}
	if !o.finding.IsReached() {
		s.unusable[o.index] = check.ID + " failed"
	}
	if skip, expired := findExpiredSkip(s.task.Skips, check.ID, s.now); expired {
		o.finding.Evidence = withEvidence(o.finding.Evidence, EvidenceExpiredSkip, skip.String())
	}
	s.finish(o.index, newResult(s.task.Source, check, o.finding))
}

// The failed need of a failed check, or "".
func (s *progress) findCause(check Check) string {
	for _, id := range check.Needs {
		if need, known := s.byID[id]; known && s.settled[need] && s.unusable[need] != "" {
			return s.unusable[need]
		}
	}
	return ""
}

func (s *progress) skip(i int, evidence map[string]string, lost string) {
	s.unusable[i] = lost
	result := newResult(s.task.Source, s.task.Checks[i], Finding{})
	result.Verdict, result.Evidence = Skipped, evidence
	s.finish(i, result)
}

func (s *progress) finish(i int, result Result) {
	s.settled[i], s.results[i] = true, result
	if s.emit != nil {
		s.emit(result)
	}
}

func withDuration(f Finding, took time.Duration) Finding {
	if f.Evidence[EvidenceTime] == "" {
		f.Evidence = withEvidence(f.Evidence, EvidenceTime, strconv.FormatInt(took.Milliseconds(), 10))
	}
	return f
}
