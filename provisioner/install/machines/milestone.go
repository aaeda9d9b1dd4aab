package machines

import (
	"context"
	"sync"
)

// milestone is a point of one step that another, concurrent step waits for.
type milestone struct {
	once    sync.Once
	settled chan struct{} // closed once it was reached or missed
	reached bool          // written before settled is closed
}

func newMilestone() *milestone { return &milestone{settled: make(chan struct{})} }

func (m *milestone) reach() { m.settle(true) }

// miss does nothing once the milestone was reached.
func (m *milestone) miss() { m.settle(false) }

func (m *milestone) settle(reached bool) {
	m.once.Do(func() {
		m.reached = reached
		close(m.settled)
	})
}

// wait returns whether the milestone was reached, once that is known.
func (m *milestone) wait(ctx context.Context) (reached bool, err error) {
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
