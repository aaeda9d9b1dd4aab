package provisioner

import (
	"slices"
	"time"
)

// PhaseTime is how long a phase of a plan took.
type PhaseTime struct {
	Name string
	Took time.Duration
}

// Durations returns how long each phase took, from the start of its first step to the end of its last one, in the order
// of the plan. Steps that have not ended do not count.
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
	for i, phase := range phases {
		phases[i].Took = ended[phase.Name].Sub(began[phase.Name])
	}
	return phases
}
