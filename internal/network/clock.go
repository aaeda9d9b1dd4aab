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

// FollowInterval returns the interval, on a clock of that speed, at which its followers are given its time.
func FollowInterval(speed float64) time.Duration {
	const (
		shortest     = 250 * time.Millisecond
		shortestWall = 5 * time.Millisecond
	)
	return max(shortest, time.Duration(speed*float64(shortestWall)))
}

// Follower moves a clock that follows another one of the same speed, in another process: the other one slows down when its
// process is busy.
type Follower struct{ scaled *scaledClock }

// NewFollower returns a clock that starts at start, and its follower; stop ends it.
func NewFollower(speed float64, start time.Time) (clock Clock, follower Follower, stop func()) {
	p := newScaledClock(speed, start)
	follower = Follower{p}
	follower.SetTime(start)
	return Clock{scaled: p}, follower, p.run()
}

// SetTime moves the clock to the other one's time, unless it is past it. From there it goes on by one FollowInterval at most.
func (f Follower) SetTime(at time.Time) {
	f.scaled.setTime(at, at.Add(FollowInterval(f.scaled.speed)))
}

// Release lets the clock go on by itself, as long as the other one's time is unknown.
func (f Follower) Release() { f.scaled.removeLimit() }

// Now returns the clock's time.
func (c Clock) Now() time.Time {
	if c.scaled == nil {
		return time.Now()
	}
	return c.scaled.getTime()
}

// Speed returns the nominal speed, as a multiple of the wall clock's.
func (c Clock) Speed() float64 {
	if c.scaled == nil {
		return 1
	}
	return c.scaled.speed
}

// ActualSpeed returns the speed so far, as a multiple of the wall clock's: on a busy machine it is less than the nominal
// speed.
func (c Clock) ActualSpeed() float64 {
	if c.scaled == nil {
		return 1
	}
	return c.scaled.actualSpeed()
}

// WorkSlowdown is how many times as slow a scaled clock is at least while work goes on.
const WorkSlowdown = 1 + burden

// BeginWork is called before another process computes for this one, and end once it has ended: like computation in this process,
// that should take almost no time of a scaled clock. The same holds for what has limits of its own by the wall clock.
func (c Clock) BeginWork() (end func()) {
	if c.scaled == nil {
		return func() {}
	}
	return c.scaled.beginWork()
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

// Poll calls check until it is done or fails, every so often by this clock. It returns done = false, and no error, once limit
// has passed, and the cause of ctx if that ends during a pause.
func (c Clock) Poll(ctx context.Context, every, limit time.Duration, check func() (done bool, err error)) (done bool, err error) {
	for since := c.Now(); ; {
		if done, err := check(); done || err != nil {
			return done, err
		}
		if c.Now().Sub(since) >= limit {
			return false, nil
		}
		if err := c.Sleep(ctx, every); err != nil {
			return false, err
		}
	}
}

func (c Clock) startTimer(d time.Duration) (due <-chan time.Time, cancel func()) {
	if c.scaled == nil {
		timer := time.NewTimer(d)
		return timer.C, func() { timer.Stop() }
	}
	return c.scaled.addSleeper(d)
}
