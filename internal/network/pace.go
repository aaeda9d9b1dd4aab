package network

import (
	"sync"
	"time"
)

// beat is how often a pace looks at the wall clock.
const beat = time.Millisecond

// pace moves a fast clock. Its time passes only as fast as the process can live it: on a busy machine, where a beat
// comes late, the clock slows down, instead of running away from those who are kept waiting. So what happens in a
// rehearsal depends on the machine's speed as little as possible.
type pace struct {
	speed float64

	mu       sync.Mutex
	now      time.Time
	wall     time.Duration                // that has passed since the first beat
	lived    time.Duration                // the part of it that the clock has taken in
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
				p.advance(now.Sub(last))
				last = now
			}
		}
	}()
	return sync.OnceFunc(func() { close(done); <-ended })
}

// advance takes in what passed on the wall, but no more than two beats of it.
func (p *pace) advance(wall time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	lived := min(wall, 2*beat)
	p.wall, p.lived = p.wall+wall, p.lived+lived
	p.now = p.now.Add(time.Duration(float64(lived) * p.speed))
	for sleeper, due := range p.sleepers {
		if !due.After(p.now) {
			delete(p.sleepers, sleeper)
			sleeper <- p.now // has room for it
		}
	}
}

// reached returns how many times as fast as the wall clock it has run so far.
func (p *pace) reached() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wall == 0 {
		return p.speed
	}
	return p.speed * p.lived.Seconds() / p.wall.Seconds()
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
