package recording

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/provisioner"
)

// TruncateAt returns the events up to a moment: the number of an event, a duration since the start, a time of day, or an RFC
// 3339 time.
func (r Run) TruncateAt(moment string) (Run, error) {
	if moment == "" {
		return r, nil
	}
	passed, err := r.parseMoment(moment)
	if err != nil {
		return nil, err
	}
	end := slices.IndexFunc(r, passed)
	if end < 0 {
		return r, nil
	}
	if end == 0 {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--until %s: before the first event; the run began at %s", moment, r[0].Time.Format(time.RFC3339)))
	}
	return r[:end], nil
}

// parseMoment returns a function that reports whether an event is after the moment.
func (r Run) parseMoment(moment string) (func(provisioner.Event) bool, error) {
	if number, err := strconv.Atoi(moment); err == nil {
		return func(e provisioner.Event) bool { return e.Seq > number }, nil
	}
	began := r[0].Time
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		at, err = parseTimeOfDay(moment, began)
	}
	if err != nil {
		var since time.Duration
		since, err = time.ParseDuration(moment)
		at = began.Add(since)
	}
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--until %s: must be an event's number (120), a duration (12m30s), a time of day (14:05), or a time (2026-05-04T14:05:00Z)", moment))
	}
	return func(e provisioner.Event) bool { return e.Time.After(at) }, nil
}

func parseTimeOfDay(text string, began time.Time) (time.Time, error) {
	clock, err := time.Parse(time.TimeOnly, text)
	if err != nil {
		if clock, err = time.Parse("15:04", text); err != nil {
			return clock, err
		}
	}
	year, month, day := began.Date()
	at := time.Date(year, month, day, clock.Hour(), clock.Minute(), clock.Second(), 0, began.Location())
	if at.Before(began.Truncate(time.Second)) {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}
