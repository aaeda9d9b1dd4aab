package openshift

import (
	"context"
	"sync"

	"exoshift/internal/network"
	"exoshift/state"
)

// backgroundProbe runs a probe at most once per poll, without blocking the poll: until a probe ends, report returns the previous
// result. The zero value is ready for use.
type backgroundProbe struct {
	mu     sync.Mutex
	last   state.Probe
	done   chan struct{} // closed when the running probe has ended; nil if none is running
	cancel context.CancelFunc
}

// start starts a probe unless one is running. The probe may outlive the poll, but not the Cluster.
func (s *backgroundProbe) start(ctx context.Context, net network.Network, w probeTarget) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done != nil {
		return
	}
	if s.last.Target != w.target.String() {
		s.last = state.Probe{}
	}
	ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.done = make(chan struct{})
	go func() {
		found, _ := w.run(ctx, net) // found holds the error
		s.finish(found)
	}()
}

func (s *backgroundProbe) finish(found state.Probe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel()
	s.last = found
	close(s.done)
	s.done = nil
}

// report returns the last result; if patient, or if there is none, it waits for the running probe.
func (s *backgroundProbe) report(ctx context.Context, patient bool) state.Probe {
	s.mu.Lock()
	last, done := s.last, s.done
	s.mu.Unlock()
	if done == nil || !patient && last.Target != "" {
		return last
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *backgroundProbe) close() {
	s.mu.Lock()
	done := s.done
	if done != nil {
		s.cancel()
	}
	s.mu.Unlock()
	if done != nil {
		<-done
	}
}
