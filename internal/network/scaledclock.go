package network

import (
	"container/heap"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// beat is the shortest time between two moves of a fast clock, by the wall.
	beat = time.Millisecond
	// longestBeat is for an idle machine, on which nobody is to be woken earlier.
	longestBeat = 16 * beat
)

// scaledClock moves a fast clock. Its time passes only as fast as the process can live it: on a busy machine, where a beat
// comes late or goroutines are at work, the clock slows down, instead of running away from those who are kept
// waiting. So what happens in a rehearsal depends on the machine's speed as little as possible.
type scaledClock struct {
	speed float64
	start time.Time // of the clock
	began time.Time // the same by the wall

	mu       sync.Mutex
	now      time.Time     // when the last beat came
	last     time.Time     // the same by the wall
	planned  time.Duration // until the next beat, by the wall
	usual    time.Duration // how long a beat may be: it grows while nothing happens
	shown    time.Time     // the latest time that anybody has seen
	sleepers sleepers
	rearm    chan struct{} // somebody is to be woken before the planned beat
}

func newScaledClock(speed float64, start time.Time) *scaledClock {
	wall := time.Now()
	return &scaledClock{speed: speed, start: start, began: wall, now: start, last: wall, planned: beat, usual: beat, rearm: make(chan struct{}, 1)}
}

func (p *scaledClock) run() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		timer := time.NewTimer(beat)
		defer timer.Stop()
		work := newWorkSamples()
		for {
			select {
			case <-done:
				return
			case <-p.rearm:
			case <-timer.C:
			}
			timer.Reset(p.updateTime(time.Now(), calculateShare(work)))
		}
	}()
	return sync.OnceFunc(func() { close(done); <-ended })
}

// burden is by how much each goroutine at work slows the clock down: what they compute shall take no time of it, or
// nearly none. It never stands still, so that whoever waits for it while he works sees it pass.
const burden = 8

// newWorkSamples are of the goroutines that run or could.
func newWorkSamples() []metrics.Sample {
	return []metrics.Sample{{Name: "/sched/goroutines/running:goroutines"}, {Name: "/sched/goroutines/runnable:goroutines"}}
}

// calculateShare returns the part of the wall's time that passes on the clock. Beats alone do not show that a process is busy: whom
// a timer wakes goes first.
func calculateShare(work []metrics.Sample) float64 {
	metrics.Read(work)
	others := max(work[0].Value.Uint64()+work[1].Value.Uint64(), 1) - 1 // we run ourselves
	return 1 / (1 + burden*float64(others))
}

// updateTime takes in a share of what passed on the wall, but no more than was planned and a beat of it, wakes whose time has
// come, and returns how long it is until the next beat.
func (p *scaledClock) updateTime(wall time.Time, share float64) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	late := wall.Sub(p.last) > p.planned+beat
	p.now, p.last = p.calculateTime(wall, share), wall
	woken := false
	for len(p.sleepers) > 0 && !p.sleepers[0].due.After(p.now) {
		heap.Pop(&p.sleepers).(*sleeper).wake <- p.now // has room for it
		woken = true
	}
	if p.usual = min(4*p.usual, longestBeat); late || woken || share < 1 {
		p.usual = beat
	}
	p.planned = p.usual
	if len(p.sleepers) > 0 {
		p.planned = max(beat, min(p.planned, p.calculateWait(p.sleepers[0].due)))
	}
	return p.planned
}

// calculateTime returns the clock's time at a moment of the wall since the last beat, of which a share counts.
func (p *scaledClock) calculateTime(wall time.Time, share float64) time.Time {
	passed := min(max(0, wall.Sub(p.last)), p.planned+beat)
	if at := p.now.Add(time.Duration(float64(passed) * p.speed * share)); at.After(p.shown) {
		return at
	}
	return p.shown // time never goes back
}

// readTime returns the clock's time. It is read between beats only where they are long, as the process is idle then.
func (p *scaledClock) readTime() time.Time {
	if p.planned > beat {
		p.shown = p.calculateTime(time.Now(), 1)
		return p.shown
	}
	p.shown = p.now
	return p.now
}

// calculateWait returns how long it is by the wall from the last beat to a time of the clock.
func (p *scaledClock) calculateWait(due time.Time) time.Duration {
	return time.Duration(float64(due.Sub(p.now))/p.speed) + 1
}

// actualSpeed returns how many times as fast as the wall clock it has run so far.
func (p *scaledClock) actualSpeed() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.last.After(p.began) {
		return p.speed
	}
	return p.now.Sub(p.start).Seconds() / p.last.Sub(p.began).Seconds()
}

func (p *scaledClock) getTime() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.readTime()
}

func (p *scaledClock) addSleeper(d time.Duration) (due <-chan time.Time, cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &sleeper{due: p.readTime().Add(d), wake: make(chan time.Time, 1)}
	heap.Push(&p.sleepers, s)
	if s.index == 0 && p.calculateWait(s.due) < p.planned-beat {
		select {
		case p.rearm <- struct{}{}:
		default: // it is on its way
		}
	}
	return s.wake, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if s.index >= 0 {
			heap.Remove(&p.sleepers, s.index)
		}
	}
}

// sleeper is somebody who is to be woken.
type sleeper struct {
	due   time.Time
	wake  chan time.Time
	index int // among the sleepers; -1: not any more
}

// sleepers are a heap: who is due first comes first.
type sleepers []*sleeper

func (s sleepers) Len() int           { return len(s) }
func (s sleepers) Less(i, j int) bool { return s[i].due.Before(s[j].due) }

func (s sleepers) Swap(i, j int) {
	s[i], s[j] = s[j], s[i]
	s[i].index, s[j].index = i, j
}

// Push is for container/heap.
func (s *sleepers) Push(x any) {
	added := x.(*sleeper)
	added.index = len(*s)
	*s = append(*s, added)
}

// Pop is for container/heap.
func (s *sleepers) Pop() any {
	last := len(*s) - 1
	popped := (*s)[last]
	(*s)[last], popped.index = nil, -1
	*s = (*s)[:last]
	return popped
}
