package network

import (
	"context"
	"time"
)

// Clock is the time a run lives by. The zero Clock is the wall clock; a clock made by Scaled runs faster, so that a
// rehearsal of an hour takes a minute. Certificates, signatures and HTTP timeouts live by the wall clock always.
type Clock struct {
	speed float64
	began time.Time // wall time at which the clock was started
	start time.Time // what the clock showed then
}

// Scaled returns a clock that shows start now and runs speed times as fast as the wall clock.
func Scaled(speed float64, start time.Time) Clock {
	return Clock{speed: speed, began: time.Now(), start: start}
}

// Now returns the clock's time.
func (c Clock) Now() time.Time {
	if c.speed == 0 {
		return time.Now()
	}
	return c.start.Add(time.Duration(float64(time.Since(c.began)) * c.speed))
}

// Wall returns how long d of this clock lasts on the wall clock; never less than a tenth of a millisecond, so that a
// ticker can be made of it.
func (c Clock) Wall(d time.Duration) time.Duration {
	if c.speed == 0 {
		return d
	}
	return max(time.Duration(float64(d)/c.speed), 100*time.Microsecond)
}

// Sleep waits for d of this clock, or until ctx ends and then returns its cause.
func (c Clock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(c.Wall(d))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
