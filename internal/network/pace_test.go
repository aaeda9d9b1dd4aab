package network

import (
	"testing"
	"time"
)

func TestAClockThatIsKeptWaitingSlowsDownInsteadOfJumping(t *testing.T) {
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	p := &pace{speed: 1000, now: start}
	p.advance(time.Hour, 1)
	if got := p.time().Sub(start); got != 2*time.Second {
		t.Errorf("a late beat moved the clock by %s", got)
	}
}

func TestPace_SlowsDownWhileGoroutinesWork(t *testing.T) {
	p := &pace{speed: 1000}
	p.advance(beat, 0.25)
	if got := p.time().Sub(time.Time{}); got != 250*time.Millisecond {
		t.Errorf("a beat moved the clock by %s", got)
	}
	idle := share()
	done := make(chan struct{})
	defer close(done)
	for range 4 {
		go func() {
			for {
				select {
				case <-done:
					return
				default:
				}
			}
		}()
	}
	if busy := share(); busy > 0.1 || busy >= idle {
		t.Errorf("the share of a goroutine among many is %g, alone it is %g", busy, idle)
	}
}

func TestASleeperIsWokenOnceItsTimeHasComeAndNotBefore(t *testing.T) {
	p := &pace{speed: 1000}
	due, cancel := p.after(1500 * time.Millisecond)
	defer cancel()
	p.advance(beat, 1)
	if len(due) != 0 {
		t.Error("woken early")
	}
	p.advance(beat, 1)
	if len(due) != 1 {
		t.Error("not woken")
	}
}
