package network

import (
	"context"
	"time"
)

// Clock is the time base of a run. The zero Clock is the wall clock; a scaled clock runs faster, so that a rehearsal of an
// hour takes a minute. Certificates, signatures and HTTP timeouts always use the wall clock.
type Clock struct{ scaled *scaledClock }

// NewScaledClock returns a clock that starts at start and runs up to speed times as fast as the wall clock; stop ends it.
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

// ActualSpeed returns the speed so far, as a multiple of the wall clock's: on a busy machine it is less than the nominal
// speed.
func (c Clock) ActualSpeed() float64 {
	if c.scaled == nil {
		return 1
	}
	return c.scaled.actualSpeed()
}

// ToWall returns the minimum wall clock duration of d, at least a tenth of a millisecond, so that it is valid for a ticker.
func (c Clock) ToWall(d time.Duration) time.Duration {
	if c.scaled == nil {
		return d
	}
	return max(time.Duration(float64(d)/c.scaled.speed), 100*time.Microsecond)
}

// Sleep waits for d of this clock. It returns the cause of ctx if that ends earlier.
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
