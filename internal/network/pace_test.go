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
