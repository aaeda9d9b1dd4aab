package simcloud

import (
	"context"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/store"
)

const (
	// tick is how often the simulated time is noted down, by its own measure, but not more often than leastTick.
	tick      = 5 * time.Second
	leastTick = 20 * time.Millisecond
)

// openClock lets simulated time go on from where it was when the zone's last process ended, however it ended. The
// wall clock needs no memory.
func (z *Zone) openClock(ctx context.Context) error {
	if z.options.Speed == 0 {
		return nil
	}
	times, err := store.Load[time.Time](z.db, "zone/time")
	if err != nil {
		return err
	}
	start, known := times.Get("now")
	every := max(tick, time.Duration(float64(leastTick)*z.options.Speed))
	if known {
		start = start.Add(every) // time never goes back
	} else {
		start = time.Now()
	}
	clock, stop := network.Scaled(z.options.Speed, start)
	z.clock = clock
	note := func() error { return times.Put("now", z.clock.Now()) }
	z.closers = append(z.closers, func() error { stop(); return note() })
	z.running.Go(func() {
		for z.clock.Sleep(ctx, every) == nil {
			_ = note() // the next one may succeed
		}
	})
	return note()
}
