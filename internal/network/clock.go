package network

import (
	"context"
	"time"
)

// Clock is the time a run lives by. The zero Clock is the wall clock; a clock made by Scaled runs faster, so that a
// rehearsal of an hour takes a minute. Certificates, signatures and HTTP timeouts live by the wall clock always.
type Clock struct{ scaled *scaledClock }

// NewScaledClock returns a clock that shows start now and runs up to speed times as fast as the wall clock; stop ends it.
func NewScaledClock(speed float64, start time.Time) (clock Clock, stop func()) {
	p := newScaledClock(speed, start)
	return Clock{scaled: p}, p.run()
}

// Now returns the clock's time.
func (c Clock) Now() time.Time {
	if c.scaled == nil {
		return time.Now()
	}
	return c.scaled.getTime()
}

// ActualSpeed returns how many times as fast as the wall clock the clock has run so far: on a busy machine less than it was made
// for.
func (c Clock) ActualSpeed() float64 {
	if c.scaled == nil {
		return 1
	}
	return c.scaled.actualSpeed()
}

// ToWall returns how long d of this clock lasts on the wall clock at least; never less than a tenth of a millisecond,
// so that a ticker can be made of it.
func (c Clock) ToWall(d time.Duration) time.Duration {
	if c.scaled == nil {
		return d
	}
	return max(time.Duration(float64(d)/c.scaled.speed), 100*time.Microsecond)
}

// Sleep waits for d of this clock, or until ctx ends and then returns its cause.
func (c Clock) Sleep(ctx context.Context, d time.Duration) error {
	due, cancel := c.startTimer(d)
	defer cancel()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-due:
		return nil
	}
}

func (c Clock) startTimer(d time.Duration) (due <-chan time.Time, cancel func()) {
	if c.scaled == nil {
		timer := time.NewTimer(d)
		return timer.C, func() { timer.Stop() }
	}
	return c.scaled.addSleeper(d)
}
