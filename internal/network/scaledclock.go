package network

import (
	"container/heap"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

const (
	// beat is the minimum wall time between two updates.
	beat = time.Millisecond
	// longestBeat applies on an idle machine without due sleepers; slowestBeat where that is little time of the clock.
	longestBeat = 16 * beat
	slowestBeat = 64 * beat
	// maxJump is the time of the clock in the longest of the slow beats: by so much it jumps when the machine stands still.
	maxJump = 2 * time.Second
	// punctuality is the part of a sleep by which it may end late, as a divisor.
	punctuality = 8
	// faithfulSpeed is the speed up to which a beat, and the computation of a request, are little time of the clock. A faster clock
	// slows down where that would matter, so that a rehearsal takes as long at every speed, by its clock.
	faithfulSpeed = 600
)

// scaledClock advances in beats. Its time advances only as fast as the process can follow: on a busy machine, where a beat is
// late or goroutines are running, it slows down, so that timeouts do not expire early and a rehearsal depends as little as
// possible on the machine's speed.
type scaledClock struct {
	speed       float64
	longestBeat time.Duration
	start       time.Time // of the clock
	began       time.Time // of the wall clock

	mu        sync.Mutex
	now       time.Time     // time of the last beat
	last      time.Time     // the same on the wall clock
	planned   time.Duration // wall time until the next beat
	usual     time.Duration // maximum length of a beat: it grows while the process is idle
	shown     time.Time     // the latest time returned so far
	limit     time.Time     // the clock stops there; zero: it does not
	sleepers  sleepers
	overshoot time.Duration // how far a beat goes beyond the first due sleeper at most; 0: as far as it lasts
	burden    float64       // the slowdown per piece of work
	rearm     chan struct{} // signals a sleeper that is due before the planned beat, or work elsewhere
	elsewhere int           // pieces of work in other processes
}

func newScaledClock(speed float64, start time.Time) *scaledClock {
	wall := time.Now()
	longest := longestBeat
	for longest < slowestBeat && float64(2*longest)*speed <= float64(maxJump) {
		longest *= 2
	}
	p := &scaledClock{speed: speed, longestBeat: longest, burden: burden, start: start, began: wall, now: start, last: wall, planned: beat, usual: beat, rearm: make(chan struct{}, 1)}
	if speed > faithfulSpeed {
		p.burden *= speed / faithfulSpeed
		p.overshoot = faithfulSpeed * beat
	}
	return p
}

func (p *scaledClock) run() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		timer := time.NewTimer(beat)
		defer timer.Stop()
		work := newWorkMeter(p.burden)
		for {
			select {
			case <-done:
				return
			case <-p.rearm:
			case <-timer.C:
			}
			timer.Reset(p.updateTime(time.Now(), work.measureShare(p.countElsewhere())))
		}
	}()
	return sync.OnceFunc(func() { close(done); <-ended })
}

// burden is the slowdown per running goroutine, up to faithfulSpeed: computation should take almost no time of the clock. It never stops the clock,
// so that a goroutine that polls the time makes progress.
const burden = 8

// workMeter measures what this process does besides its clock: goroutines that run or could, and those that a call of the operating
// system keeps, such as the writing of a file. Some are in such a call for good: as many as were there in all of the last beats.
type workMeter struct {
	burden  float64
	samples []metrics.Sample
	blocked [64]uint64 // goroutines in calls, at the last beats
	next    int        // index of the oldest
}

func newWorkMeter(burden float64) *workMeter {
	return &workMeter{burden: burden, samples: []metrics.Sample{
		{Name: "/sched/goroutines/running:goroutines"}, {Name: "/sched/goroutines/runnable:goroutines"}, {Name: "/sched/goroutines/not-in-go:goroutines"},
	}}
}

// measureShare returns the part of the wall time that counts; elsewhere is the number of other processes at work. Late beats
// alone do not reveal a busy process: goroutines woken by timers run first.
func (m *workMeter) measureShare(elsewhere int) float64 {
	metrics.Read(m.samples)
	return m.calculateShare(m.samples[0].Value.Uint64()+m.samples[1].Value.Uint64(), m.samples[2].Value.Uint64(), elsewhere)
}

func (m *workMeter) calculateShare(awake, blocked uint64, elsewhere int) float64 {
	m.blocked[m.next] = blocked
	m.next = (m.next + 1) % len(m.blocked)
	others := max(awake, 1) - 1 + blocked - slices.Min(m.blocked[:]) // without this goroutine
	return 1 / (1 + m.burden*(float64(others)+float64(elsewhere)))
}

func (p *scaledClock) countElsewhere() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.elsewhere
}

// beginWork ends a long beat, which would count in full.
func (p *scaledClock) beginWork() (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.elsewhere++
	if p.planned > beat {
		p.signalRearm()
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.elsewhere--
	})
}

func (p *scaledClock) signalRearm() {
	select {
	case p.rearm <- struct{}{}:
	default: // already signalled
	}
}

// updateTime advances the clock by a share of the passed wall time, limited to one beat more than planned, wakes the due
// sleepers, and returns the wall time until the next beat.
func (p *scaledClock) updateTime(wall time.Time, share float64) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	late := wall.Sub(p.last) > p.planned+beat
	p.now, p.last = p.calculateTime(wall, share), wall
	woken := p.wakeSleepers()
	if p.usual = min(8*p.usual, p.longestBeat); late || woken || share < 1 {
		p.usual = beat
	}
	p.planned = p.usual
	if len(p.sleepers) > 0 {
		p.planned = max(beat, min(p.planned, p.calculateWait(p.sleepers[0].due)))
	}
	return p.planned
}

func (p *scaledClock) calculateTime(wall time.Time, share float64) time.Time {
	passed := min(max(0, wall.Sub(p.last)), p.planned+beat)
	at := p.now.Add(time.Duration(float64(passed) * p.speed * share))
	if p.overshoot > 0 && len(p.sleepers) > 0 {
		at = earlier(at, p.sleepers[0].due.Add(p.overshoot))
	}
	if !p.limit.IsZero() {
		at = earlier(at, p.limit)
	}
	if at.After(p.shown) {
		return at
	}
	return p.shown // monotonic
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// setTime moves the clock to at unless it is past it, and stops it at limit.
func (p *scaledClock) setTime(at, limit time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit = limit; !at.After(p.now) {
		return
	}
	p.now, p.last = at, time.Now()
	if at.After(p.shown) {
		p.shown = at
	}
	p.wakeSleepers()
}

func (p *scaledClock) removeLimit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = time.Time{}
}

func (p *scaledClock) wakeSleepers() (woken bool) {
	for len(p.sleepers) > 0 && !p.sleepers[0].due.After(p.now) {
		heap.Pop(&p.sleepers).(*sleeper).wake <- p.now // buffered
		woken = true
	}
	return woken
}

// readTime interpolates between beats only where they are long, as the process is idle then.
func (p *scaledClock) readTime() time.Time {
	if p.planned > beat {
		p.shown = p.calculateTime(time.Now(), 1)
		return p.shown
	}
	p.shown = p.now
	return p.now
}

func (p *scaledClock) calculateWait(due time.Time) time.Duration {
	return time.Duration(float64(due.Sub(p.now))/p.speed) + 1
}

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

// align delays the end of a sleep of d, so that sleepers wake together: most of what a zone at rest costs is the waking of its
// process.
func (p *scaledClock) align(due time.Time, d time.Duration) time.Time {
	grid := beat
	for d >= time.Second && grid < p.longestBeat && float64(2*grid)*p.speed*punctuality <= float64(d) && float64(2*grid)*p.speed <= faithfulSpeed*float64(longestBeat) {
		grid *= 2
	}
	if grid == beat {
		return due
	}
	step := time.Duration(float64(grid) * p.speed)
	if past := due.Sub(p.start) % step; past > 0 {
		return due.Add(step - past)
	}
	return due
}

func (p *scaledClock) addSleeper(d time.Duration) (due <-chan time.Time, cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &sleeper{due: p.align(p.readTime().Add(d), d), wake: make(chan time.Time, 1)}
	heap.Push(&p.sleepers, s)
	if s.index == 0 && p.calculateWait(s.due) < p.planned-beat {
		p.signalRearm()
	}
	return s.wake, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if s.index >= 0 {
			heap.Remove(&p.sleepers, s.index)
		}
	}
}

type sleeper struct {
	due   time.Time
	wake  chan time.Time
	index int // in the heap; -1: removed
}

// sleepers is a heap ordered by due time.
type sleepers []*sleeper

func (s sleepers) Len() int           { return len(s) }
func (s sleepers) Less(i, j int) bool { return s[i].due.Before(s[j].due) }

func (s sleepers) Swap(i, j int) {
	s[i], s[j] = s[j], s[i]
	s[i].index, s[j].index = i, j
}

// Push implements heap.Interface.
func (s *sleepers) Push(x any) {
	added := x.(*sleeper)
	added.index = len(*s)
	*s = append(*s, added)
}

// Pop implements heap.Interface.
func (s *sleepers) Pop() any {
	last := len(*s) - 1
	popped := (*s)[last]
	(*s)[last], popped.index = nil, -1
	*s = (*s)[:last]
	return popped
}
