package tui

import (
	"time"

	"exoshift/tui/theme"
	"exoshift/wizard/session"
)

// minBusyTime is the minimum time that a busy mark is shown.
const minBusyTime = time.Second

// busyShownMsg is sent when a busy mark was shown for minBusyTime.
type busyShownMsg struct{}

// lookupDueMsg is sent after the delay of a lookup.
type lookupDueMsg struct {
	id         string
	generation int
}

// isBusy reports whether a lookup is running, or ran less than minBusyTime.
func isBusy(q session.Lookup, now time.Time) bool {
	return q.State == session.Due || q.State == session.Running || q.State == session.Known && now.Sub(q.Began) < minBusyTime
}

func mapLookupStatus(q session.Lookup, now time.Time) theme.Status {
	switch {
	case isBusy(q, now):
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
