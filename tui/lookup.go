package tui

import (
	"time"

	"exoshift/tui/theme"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
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

// scheduleLookups begins the delay of the lookups that have become due.
func (t *pageContext) scheduleLookups() {
	for _, q := range t.Lookups.List() {
		if q.State != session.Due || t.delays[q.ID] == q.Generation {
			continue
		}
		t.delays[q.ID] = q.Generation
		message := lookupDueMsg{q.ID, q.Generation}
		if q.Delay == 0 {
			t.addCommand(func() tea.Msg { return message })
		} else {
			t.addCommand(t.later(q.Delay, message))
		}
	}
}

func (t *pageContext) startLookup(m lookupDueMsg) {
	if work := t.Lookups.Start(m.id, m.generation); work != nil {
		t.runWork(work)
		t.addCommand(t.later(minBusyTime, busyShownMsg{}))
	}
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
