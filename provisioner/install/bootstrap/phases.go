package bootstrap

import (
	"maps"
	"sync"
	"time"

	"exoshift/provisioner"
)

// Phases records when the cluster reached each phase of its bootstrap, and emits each of them once.
type Phases struct {
	clock provisioner.Clock

	mu    sync.Mutex // guards times
	times map[string]time.Time
}

// NewPhases returns the phases of a run.
func NewPhases(clock provisioner.Clock) *Phases {
	return &Phases{clock: clock, times: map[string]time.Time{}}
}

// Emit emits a phase that is reached, but for the first time only.
func (p *Phases) Emit(report provisioner.Report, phase, text string) {
	p.mu.Lock()
	_, known := p.times[phase]
	if !known {
		p.times[phase] = p.clock.Now()
	}
	p.mu.Unlock()
	if !known {
		report(provisioner.Event{Type: provisioner.TypeBootstrap, Phase: phase, Text: text})
	}
}

// Times returns when each phase was reached.
func (p *Phases) Times() map[string]time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.times)
}
