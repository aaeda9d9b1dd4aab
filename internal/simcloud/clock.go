package simcloud

import (
	"context"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/store"
)

const (
	// tick is the interval, in simulated time, at which that time is stored, but at least minTick.
	tick    = 5 * time.Second
	minTick = 20 * time.Millisecond
)

// openClock continues simulated time where the zone's last process ended, however it ended. At real speed the zone uses the wall
// clock, unless an earlier, faster run is ahead of it: time is monotonic.
func (z *Zone) openClock(ctx context.Context) error {
	times, err := store.Load[time.Time](z.db, "zone/time")
	if err != nil {
		return err
	}
	every := max(tick, time.Duration(float64(minTick)*z.options.Speed))
	start, known := times.Get("now")
	if known {
		start = start.Add(every)
	} else {
		start = time.Now()
	}
	stop := func() {}
	if z.options.Speed > 0 || start.After(time.Now()) {
		z.clock, stop = network.NewScaledClock(max(1, z.options.Speed), start)
	}
	note := func() error { return times.Put("now", z.clock.Now()) }
	z.closers = append(z.closers, func() error { stop(); return note() })
	if z.options.Speed > 0 || z.options.Dir != "" {
		z.running.Go(func() {
			for z.clock.Sleep(ctx, every) == nil {
				_ = note() // the next one may succeed
			}
		})
	}
	return note()
}
