package network

import (
	"runtime/metrics"
	"sync"
	"time"
)

// beat is how often a pace looks at the wall clock.
const beat = time.Millisecond

// pace moves a fast clock. Its time passes only as fast as the process can live it: on a busy machine, where a beat
// comes late or goroutines are at work, the clock slows down, instead of running away from those who are kept
// waiting. So what happens in a rehearsal depends on the machine's speed as little as possible.
type pace struct {
	speed float64

	mu       sync.Mutex
	now      time.Time
	sleepers map[chan time.Time]time.Time // when each is to be woken
}

func (p *pace) run() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		for last := time.Now(); ; {
			select {
			case <-done:
				return
			case now := <-ticker.C:
				p.advance(now.Sub(last), share())
				last = now
			}
		}
	}()
	return sync.OnceFunc(func() { close(done); <-ended })
}

// burden is by how much each goroutine at work slows the clock down: what they compute shall take no time of it, or
// nearly none. It never stands still, so that whoever waits for it while he works sees it pass.
const burden = 8

// share returns the part of the wall's time that passes on the clock. Beats alone do not show that a process is busy: whom
// a timer wakes goes first.
func share() float64 {
	work := []metrics.Sample{{Name: "/sched/goroutines/running:goroutines"}, {Name: "/sched/goroutines/runnable:goroutines"}}
	metrics.Read(work)
	others := max(work[0].Value.Uint64()+work[1].Value.Uint64(), 1) - 1 // we run ourselves
	return 1 / (1 + burden*float64(others))
}

// advance takes in what passed on the wall, but no more than two beats of it, and no more than its share.
func (p *pace) advance(wall time.Duration, share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(time.Duration(float64(min(wall, 2*beat)) * p.speed * share))
	for sleeper, due := range p.sleepers {
		if !due.After(p.now) {
			delete(p.sleepers, sleeper)
			sleeper <- p.now // has room for it
		}
	}
}

func (p *pace) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *pace) after(d time.Duration) (due <-chan time.Time, cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sleeper := make(chan time.Time, 1)
	if p.sleepers == nil {
		p.sleepers = map[chan time.Time]time.Time{}
	}
	p.sleepers[sleeper] = p.now.Add(d)
	return sleeper, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.sleepers, sleeper)
	}
}
