package provisioner

import (
	"slices"
	"time"
)

// PhaseTime is how long a phase of a plan took.
type PhaseTime struct {
	Name    string
	Took    time.Duration // from the end of the phases before it, or from its own start where that is later
	Overlap time.Duration // before that, beside the phases before it
}

// Durations returns how long each phase took, in the order of the plan. Phases overlap: what is counted in an earlier one is not
// counted again, so that the durations add up to that of the run. Steps that have not ended do not count.
func (b *Board) Durations() []PhaseTime {
	var phases []PhaseTime
	began, ended := map[string]time.Time{}, map[string]time.Time{}
	for _, step := range b.Steps {
		if step.Began.IsZero() || step.Ended.IsZero() {
			continue
		}
		if !slices.ContainsFunc(phases, func(p PhaseTime) bool { return p.Name == step.Phase }) {
			phases = append(phases, PhaseTime{Name: step.Phase})
			began[step.Phase] = step.Began
		}
		if step.Began.Before(began[step.Phase]) {
			began[step.Phase] = step.Began
		}
		if step.Ended.After(ended[step.Phase]) {
			ended[step.Phase] = step.Ended
		}
	}
	var counted time.Time
	for i, phase := range phases {
		phases[i].Took, phases[i].Overlap = SplitDuration(began[phase.Name], ended[phase.Name], counted)
		if ended[phase.Name].After(counted) {
			counted = ended[phase.Name]
		}
	}
	return phases
}

// SplitDuration returns how much of a phase was after counted, the end of the phases before it, and how much before.
func SplitDuration(began, ended, counted time.Time) (took, overlap time.Duration) {
	switch {
	case !counted.After(began):
		return ended.Sub(began), 0
	case ended.Before(counted):
		return 0, ended.Sub(began)
	}
	return ended.Sub(counted), counted.Sub(began)
}

// RemainingTimes returns, for each step that has not ended, about how long it and what needs it, directly or not, still take: the
// longest chain of usual durations, corrected by what the steps of this run took. The step that runs and has the longest one is on the
// critical path. A step without a usual duration counts a second, so that longer chains come first.
func (b *Board) RemainingTimes(now time.Time) map[string]time.Duration {
	pace := b.measurePace()
	rest := make(map[string]time.Duration, len(b.Steps))
	for i := len(b.Steps) - 1; i >= 0; i-- { // a step is needed only by steps below it
		step := b.Steps[i]
		if !step.Ended.IsZero() {
			continue
		}
		rest[step.ID] += step.estimateRest(now, pace)
		for _, need := range step.Needs {
			rest[need] = max(rest[need], rest[step.ID])
		}
	}
	for _, step := range b.Steps {
		if !step.Ended.IsZero() {
			delete(rest, step.ID)
		}
	}
	return rest
}

// EstimateRemaining returns about how long the run still takes; 0 if that is not known.
func (b *Board) EstimateRemaining(now time.Time) time.Duration {
	known, longest := false, time.Duration(0)
	for _, step := range b.Steps {
		known = known || step.Usual > 0
	}
	if !known {
		return 0
	}
	for _, rest := range b.RemainingTimes(now) {
		longest = max(longest, rest)
	}
	return longest
}

func (s StepView) estimateRest(now time.Time, pace float64) time.Duration {
	usual := max(time.Duration(float64(s.Usual)*pace), time.Second)
	if s.State != Started {
		return usual
	}
	// A step that takes longer than usual will not end at once.
	return max(usual-now.Sub(s.Began), usual/10)
}

// Bounds of the correction: one slow step says little about those that follow.
const (
	slowestPace = 2
	fastestPace = 0.5
)

// measurePace returns by which factor the steps of this run took longer than usual.
func (b *Board) measurePace() float64 {
	var usual, took time.Duration
	for _, step := range b.Steps {
		if step.State == Done && step.Usual > 0 && step.Ended.Sub(step.Began) > time.Second { // else there was nothing to do
			usual, took = usual+step.Usual, took+step.Ended.Sub(step.Began)
		}
	}
	if usual == 0 {
		return 1
	}
	return min(max(float64(took)/float64(usual), fastestPace), slowestPace)
}
