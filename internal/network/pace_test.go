package network

import (
	"testing"
	"time"
)

func TestAClockThatIsKeptWaitingSlowsDownInsteadOfJumping(t *testing.T) {
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	p := &pace{speed: 1000, now: start}
	p.advance(time.Hour)
	if got := p.time().Sub(start); got != 2*time.Second {
		t.Errorf("a late beat moved the clock by %s", got)
	}
}

func TestClock_ReachedIsLessThanAskedAfterLateBeats(t *testing.T) {
	p := &pace{speed: 1000}
	clock := Clock{pace: p}
	if got := clock.Reached(); got != 1000 {
		t.Errorf("before the first beat: %g", got)
	}
	p.advance(beat)
	if got := clock.Reached(); got != 1000 {
		t.Errorf("in time: %g", got)
	}
	p.advance(9 * beat)
	if got := clock.Reached(); got != 300 {
		t.Errorf("three of ten beats were lived: %g", got)
	}
	if got := (Clock{}).Reached(); got != 1 {
		t.Errorf("the wall clock: %g", got)
	}
}

func TestASleeperIsWokenOnceItsTimeHasComeAndNotBefore(t *testing.T) {
	p := &pace{speed: 1000}
	due, cancel := p.after(1500 * time.Millisecond)
	defer cancel()
	p.advance(beat)
	if len(due) != 0 {
		t.Error("woken early")
	}
	p.advance(beat)
	if len(due) != 1 {
		t.Error("not woken")
	}
}
