package nodes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // a machine may lack time zone data

	"exoshift/internal/app/exit"
	"exoshift/internal/network"
	"exoshift/internal/text"
	"exoshift/state"
)

// Window is when something may begin to change. The zero value is: at once.
type Window struct {
	At          time.Time // not before; zero: no such time
	Maintenance bool      // not before the next maintenance window of the answers
}

// maintenanceZone is where the hours of maintenance windows are those of the clock.
const maintenanceZone = "Europe/Zurich"

// start returns when the window begins, by the time of the cluster; zero: at once.
func (w Window) start(spec state.Spec, now time.Time) (time.Time, error) {
	switch {
	case w.Maintenance:
		return nextMaintenance(spec.Syn.Facts["maintenance_window"], now)
	case !w.At.IsZero() && !w.At.After(now):
		return time.Time{}, exit.WithCode(exit.Usage, fmt.Errorf("--at %s: that is over: for the cluster, it is %s", w.At.Format(time.RFC3339), now.UTC().Format(time.RFC3339)))
	}
	return w.At, nil
}

// nextMaintenance returns when a weekly window begins next, such as "tuesday-1000".
func nextMaintenance(window string, now time.Time) (time.Time, error) {
	day, hour, _ := strings.Cut(strings.ToLower(window), "-")
	at, err := time.Parse("1504", hour)
	weekday := time.Sunday
	for weekday <= time.Saturday && strings.ToLower(weekday.String()) != day {
		weekday++
	}
	if err != nil || weekday > time.Saturday {
		reason := "the answers have no maintenance window (syn.facts.maintenance_window)"
		if window != "" {
			reason = fmt.Sprintf("the maintenance window %q of the answers (syn.facts.maintenance_window) has no day and time", window)
		}
		return time.Time{}, exit.WithCode(exit.Usage, errors.New("--maintenance: "+reason+"; give --at with a time"))
	}
	zone, err := time.LoadLocation(maintenanceZone)
	if err != nil {
		return time.Time{}, err
	}
	local := now.In(zone)
	days := (int(weekday-local.Weekday()) + 7) % 7
	begin := time.Date(local.Year(), local.Month(), local.Day()+days, at.Hour(), at.Minute(), 0, 0, zone)
	if !begin.After(now) {
		begin = time.Date(local.Year(), local.Month(), local.Day()+days+7, at.Hour(), at.Minute(), 0, 0, zone)
	}
	return begin, nil
}

// waitStart waits until a window begins. The clock is asked every minute: this machine may sleep meanwhile.
func waitStart(ctx context.Context, clock network.Clock, start time.Time, shown Display) error {
	left := start.Sub(clock.Now())
	if left <= 0 {
		return nil
	}
	shown.Warn(fmt.Sprintf("waiting until %s, for %s; until then nothing is changed, and Ctrl-C ends the wait", start.Format("Monday 2006-01-02 15:04 MST"), text.FormatDuration(left)))
	for ; left > 0; left = start.Sub(clock.Now()) {
		if err := clock.Sleep(ctx, min(left, time.Minute)); err != nil {
			return fmt.Errorf("nothing was changed: %w", context.Cause(ctx))
		}
	}
	return nil
}
