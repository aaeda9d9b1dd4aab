package provisioner

import (
	"context"
	"sync"
)

// Milestone is a point of one step that another, concurrent step waits for.
type Milestone struct {
	once    sync.Once
	settled chan struct{} // closed once it was reached or missed
	reached bool          // written before settled is closed
}

// NewMilestone returns a milestone that is neither reached nor missed.
func NewMilestone() *Milestone { return &Milestone{settled: make(chan struct{})} }

// Reach is called by the step that reaches it.
func (m *Milestone) Reach() { m.settle(true) }

// Miss is called when that step ends. It does nothing once the milestone was reached.
func (m *Milestone) Miss() { m.settle(false) }

func (m *Milestone) settle(reached bool) {
	m.once.Do(func() {
		m.reached = reached
		close(m.settled)
	})
}

// Wait returns whether the milestone was reached, once that is known.
func (m *Milestone) Wait(ctx context.Context) (reached bool, err error) {
	select {
	case <-m.settled:
		reached = m.reached
	case <-ctx.Done():
	}
	if !reached && ctx.Err() != nil { // both steps were stopped
		return false, context.Cause(ctx)
	}
	return reached, nil
}
