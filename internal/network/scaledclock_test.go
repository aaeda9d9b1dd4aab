package network

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

var paceStart = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func TestPace_SlowsDownOnLateBeat(t *testing.T) {
	p := newScaledClock(1000, paceStart)
	p.updateTime(p.last.Add(time.Hour), 1)
	if got := p.now.Sub(paceStart); got != 2*time.Second {
		t.Errorf("a late beat moved the clock by %s, not by two beats", got)
	}
}

func TestPace_ShortensBeatAfterLate(t *testing.T) {
	p := newScaledClock(1000, paceStart)
	for range 10 {
		p.updateTime(p.last.Add(p.planned), 1)
	}
	if p.planned != longestBeat {
		t.Errorf("a pace whose beats come in time plans %s", p.planned)
	}
	if got := p.updateTime(p.last.Add(p.planned+3*beat), 1); got != beat {
		t.Errorf("after a late beat the next one is planned in %s", got)
	}
}

func TestPace_ReadsBetweenLongBeats(t *testing.T) {
	p := newScaledClock(1000, paceStart)
	p.planned, p.last = longestBeat, time.Now().Add(-5*beat)
	if got := p.getTime().Sub(paceStart); got < 5*time.Second || got > 17*time.Second {
		t.Errorf("five milliseconds after a beat the clock has moved by %s", got)
	}
	p.last = time.Now().Add(-time.Hour)
	if got := p.getTime().Sub(paceStart); got != 17*time.Second {
		t.Errorf("with a beat that is late the clock has moved by %s", got)
	}
	p.updateTime(p.last.Add(beat), 0)
	if got := p.now.Sub(paceStart); got != 17*time.Second {
		t.Errorf("the clock went back to %s", got)
	}
}

func TestPace_SlowsDownWhileGoroutinesWork(t *testing.T) {
	p := newScaledClock(1000, paceStart)
	if planned := p.updateTime(p.last.Add(beat), 0.25); planned != beat {
		t.Errorf("on a busy process the next beat is planned in %s", planned)
	}
	if got := p.now.Sub(paceStart); got != 250*time.Millisecond {
		t.Errorf("a beat moved the clock by %s", got)
	}
	var stopped atomic.Bool
	defer stopped.Store(true)
	for range 4 {
		go func() {
			for !stopped.Load() {
				runtime.Gosched()
			}
		}()
	}
	if busy := newWorkMeter(burden).measureShare(0); busy > 0.1 {
		t.Errorf("the share of a goroutine among four that work is %g", busy)
	}
}

func TestPace_SlowsDownWhileFilesAreWritten(t *testing.T) {
	m := newWorkMeter(burden)
	for range 2 * len(m.blocked) {
		m.calculateShare(1, 2, 0) // two wait for signals and keys
	}
	if share := m.calculateShare(1, 2, 0); share != 1 {
		t.Errorf("the share of a process at rest is %g", share)
	}
	if share := m.calculateShare(1, 3, 0); share != 1.0/(1+burden) {
		t.Errorf("while a file is written, the share is %g", share)
	}
	for range len(m.blocked) {
		m.calculateShare(1, 3, 0)
	}
	if share := m.calculateShare(1, 3, 0); share != 1 {
		t.Errorf("the share is still %g when a third one waits for good", share)
	}
}

func TestPace_SlowsDownWhileAnotherProcessWorks(t *testing.T) {
	p := newScaledClock(1000, paceStart)
	p.planned = longestBeat
	end := p.beginWork()
	if len(p.rearm) != 1 {
		t.Error("the long beat is not ended")
	}
	others := make([]func(), 99) // so many that what else runs in this process does not matter
	for n := range others {
		others[n] = p.beginWork()
	}
	if share := newWorkMeter(burden).measureShare(p.countElsewhere()); share > 1.0/(1+100*burden) {
		t.Errorf("the share is %g", share)
	}
	for _, endOther := range others {
		endOther()
	}
	end()
	end()
	if p.countElsewhere() != 0 {
		t.Errorf("%d pieces of work are left", p.elsewhere)
	}
}

func TestPace_WakesSleeperOnTime(t *testing.T) {
	p := newScaledClock(1000, paceStart)
	p.last = time.Now().Add(time.Hour) // so that the time of the test itself does not count
	due, cancel := p.addSleeper(1500 * time.Millisecond)
	defer cancel()
	if planned := p.updateTime(p.last.Add(beat), 1); len(due) != 0 || planned != beat {
		t.Errorf("woken early (%d), or the next beat is planned in %s", len(due), planned)
	}
	p.updateTime(p.last.Add(beat), 1)
	if len(due) != 1 {
		t.Error("not woken")
	}
}

func TestPace_RearmsForEarlierSleeper(t *testing.T) {
	p := newScaledClock(1000, paceStart)
	p.planned = longestBeat
	p.last = time.Now().Add(time.Hour)
	_, cancel := p.addSleeper(time.Hour)
	cancel()
	if len(p.rearm) != 0 {
		t.Error("a sleeper that is due late moved the beat")
	}
	_, cancel = p.addSleeper(time.Second)
	defer cancel()
	if len(p.rearm) != 1 {
		t.Error("nobody is woken in time")
	}
}

func TestPace_WakesInOrder(t *testing.T) {
	p := newScaledClock(1, paceStart)
	p.last = time.Now().Add(time.Hour)
	random := rand.New(rand.NewPCG(1, 2))
	left := map[<-chan time.Time]bool{}
	waiting := map[<-chan time.Time]time.Duration{}
	for range 500 {
		d := time.Duration(random.IntN(1000)) * time.Millisecond
		due, cancel := p.addSleeper(d)
		waiting[due] = d
		if random.IntN(3) == 0 {
			cancel()
			left[due] = true
		}
	}
	for p.now.Before(paceStart.Add(time.Second)) {
		p.updateTime(p.last.Add(p.planned), 1)
		for due, d := range waiting {
			woken, want := len(due) == 1, !p.now.Before(paceStart.Add(d)) && !left[due]
			if woken != want {
				t.Fatalf("%s after the start, who sleeps %s (left: %t) is woken: %t", p.now.Sub(paceStart), d, left[due], woken)
			}
		}
	}
	if len(p.sleepers) != 0 {
		t.Errorf("%d are still waiting", len(p.sleepers))
	}
}

func TestClock_ReachedSpeed(t *testing.T) {
	p := newScaledClock(1000, paceStart)
	clock := Clock{scaled: p}
	if got := clock.ActualSpeed(); got != 1000 {
		t.Errorf("a clock that has just been started runs %g times as fast as the wall", got)
	}
	p.updateTime(p.last.Add(beat), 1)
	p.updateTime(p.last.Add(3*beat), 0)
	if got := clock.ActualSpeed(); got != 250 {
		t.Errorf("after one beat of four it runs %g times as fast as the wall", got)
	}
	if got := (Clock{}).ActualSpeed(); got != 1 {
		t.Errorf("the wall clock runs %g times as fast as itself", got)
	}
}

func TestScaledClock_LongSleepsEndTogether(t *testing.T) {
	p := newScaledClock(20, paceStart)
	p.last = time.Now().Add(time.Hour) // so that the time of the test itself does not count
	ends := map[time.Time]bool{}
	const sleeps, d = 100, 10 * time.Second
	for i := range sleeps {
		p.now = paceStart.Add(time.Duration(i) * 10 * time.Millisecond)
		p.shown = p.now
		_, cancel := p.addSleeper(d)
		defer cancel()
		end := p.sleepers[len(p.sleepers)-1].due
		if late := end.Sub(p.now) - d; late < 0 || late > d/punctuality {
			t.Fatalf("a sleep of %s ends %s late", d, late)
		}
		ends[end] = true
	}
	if len(ends) > 3 {
		t.Errorf("%d sleeps that began within a second end at %d times", sleeps, len(ends))
	}
}

func TestScaledClock_ShortSleepsEndInTime(t *testing.T) {
	p := newScaledClock(600, paceStart)
	if due := paceStart.Add(5*time.Second + 1); !p.align(due, 5*time.Second).Equal(due) {
		t.Errorf("a sleep of 8 ms of the wall clock ends at %s", p.align(due, 5*time.Second))
	}
}

func TestScaledClock_LongBeatsAtLowSpeed(t *testing.T) {
	for speed, want := range map[float64]time.Duration{1: slowestBeat, 20: slowestBeat, 60: 2 * longestBeat, 600: longestBeat} {
		if got := newScaledClock(speed, paceStart).longestBeat; got != want {
			t.Errorf("at speed %g the longest beat is %s, want %s", speed, got, want)
		}
	}
}

// A clock that is faster than faithfulSpeed wakes those who sleep about as exactly as one of that speed, and work takes as little of
// its time.
func TestPace_FastClockIsAsExact(t *testing.T) {
	p := newScaledClock(3600, paceStart)
	p.last = time.Now().Add(time.Hour) // so that the time of the test itself does not count
	due, cancel := p.addSleeper(500 * time.Millisecond)
	defer cancel()
	p.updateTime(p.last.Add(beat), 1)
	if woken := <-due; woken.Sub(paceStart) > 1100*time.Millisecond {
		t.Errorf("a sleeper of half a second is woken after %s", woken.Sub(paceStart))
	}
	slow, fast := newScaledClock(faithfulSpeed, paceStart), newScaledClock(6*faithfulSpeed, paceStart)
	share := func(p *scaledClock) float64 { return newWorkMeter(p.burden).calculateShare(2, 0, 0) }
	if a, b := share(slow)*slow.speed, share(fast)*fast.speed; b > 1.2*a {
		t.Errorf("while a goroutine works, the fast clock runs at %g, and the slow one at %g", b, a)
	}
	if late := fast.align(paceStart.Add(time.Hour+time.Nanosecond), time.Hour).Sub(paceStart) - time.Hour; late > faithfulSpeed*longestBeat {
		t.Errorf("a sleep of an hour ends %s late", late)
	}
}
