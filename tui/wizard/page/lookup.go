package page

import (
	"time"

	"exoshift/tui/theme"
	"exoshift/wizard/session"
)

// MinBusyTime is the minimum time that a busy mark is shown.
const MinBusyTime = time.Second

// BusyShownMsg is sent when a busy mark was shown for MinBusyTime.
type BusyShownMsg struct{}

// LookupDueMsg is sent after the delay of a lookup.
type LookupDueMsg struct {
	id         string
	generation int
}

// IsBusy reports whether a lookup is running, or ran less than MinBusyTime.
func IsBusy(q session.Lookup, now time.Time) bool {
	return q.State == session.Due || q.State == session.Running || q.State == session.Known && now.Sub(q.Began) < MinBusyTime
}

// MapLookupStatus returns the status of a lookup at a time.
func MapLookupStatus(q session.Lookup, now time.Time) theme.Status {
	switch {
	case IsBusy(q, now):
		return theme.Running
	case q.State != session.Known, q.Result.Pending:
		return theme.Waiting
	case q.Err != nil:
		return theme.Warn
	case len(q.Result.Problems) > 0:
		return theme.Failed
	case len(q.Result.Warnings) > 0:
		return theme.Warn
	}
	return theme.OK
}
