package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"exoshift/tui/pane"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

type lookupState struct {
	wizard.Lookup
	subject    string // the answers that it depends on, joined into one text
	generation int    // counts the runs: results of earlier ones are dropped
	scheduled  bool   // waits for lookupDelay
	running    bool
	known      bool // reply or err is about the present answers
	result     wizard.LookupResult
	err        error
	began      time.Time
	endedAt    time.Time // when the result came
	cancel     context.CancelFunc
}

const (
	lookupDelay = 400 * time.Millisecond // from the last change to the lookup
	minBusyTime = time.Second            // minimum time that a busy mark is shown
)

// busyShownMsg is sent when a busy mark was shown for minBusyTime.
type busyShownMsg struct{}

// lookupDueMsg is sent after lookupDelay.
type lookupDueMsg struct {
	id         string
	generation int
}

type lookupResultMsg struct {
	lookupDueMsg
	result wizard.LookupResult
	err    error
}

// isBusy reports whether a lookup is running, or ran less than minBusyTime.
func (q *lookupState) isBusy(now time.Time) bool {
	return q.scheduled || q.running || q.known && now.Sub(q.began) < minBusyTime
}

func (q *lookupState) status(now time.Time) pane.Status {
	switch {
	case q.isBusy(now):
		return pane.Running
	case !q.known, q.result.Pending:
		return pane.Waiting
	case q.err != nil:
		return pane.Warn
	case len(q.result.Problems) > 0:
		return pane.Failed
	case len(q.result.Warnings) > 0:
		return pane.Warn
	}
	return pane.OK
}

// scheduleLookups schedules the lookups whose answers have changed, after a pause in which more may change.
func (t *session) scheduleLookups(pause time.Duration) {
	for _, q := range t.lookups {
		about, ready := t.buildSubject(q)
		if about == q.subject && (q.known || q.scheduled || q.running || !ready) {
			continue
		}
		q.reset()
		if q.subject = about; ready {
			t.scheduleLookup(q, pause)
		}
	}
}

// errStopped is the result of a lookup that the operator cancelled.
var errStopped = errors.New("stopped")

func (t *session) isLookupRunning() bool {
	return slices.ContainsFunc(t.lookups, func(q *lookupState) bool { return q.running })
}

func (t *session) cancelLookups() {
	for _, q := range t.lookups {
		if q.running {
			q.reset()
			q.known, q.err, q.endedAt, q.began = true, errStopped, t.now(), time.Time{}
		}
	}
}

// refreshLookups repeats all lookups at once. If some are running, it cancels them: the operator has waited long enough.
func (t *session) refreshLookups() {
	if t.isLookupRunning() {
		t.cancelLookups()
		return
	}
	for _, q := range t.lookups {
		if _, ready := t.buildSubject(q); ready {
			q.reset()
			t.scheduleLookup(q, 0)
		}
	}
	t.checkLocal()
}

// reset drops the results, also pending ones. Choices and limits are kept: they rarely change, and must not be bypassed while a
// new lookup runs.
func (q *lookupState) reset() {
	if q.cancel != nil {
		q.cancel()
	}
	q.generation++
	q.scheduled, q.running, q.known, q.err, q.cancel = false, false, false, nil, nil
	q.result = wizard.LookupResult{Choices: q.result.Choices, Quotas: q.result.Quotas}
}

func (t *session) scheduleLookup(q *lookupState, pause time.Duration) {
	q.scheduled = true
	moment := lookupDueMsg{q.ID, q.generation}
	if pause == 0 {
		t.addCommand(func() tea.Msg { return moment })
		return
	}
	t.addCommand(t.later(pause, moment))
}

// buildSubject returns the answers that a lookup depends on, and whether all of them are present and valid.
func (t *session) buildSubject(q *lookupState) (about string, ready bool) {
	var subject strings.Builder
	ready = q.IsRelevant(t.spec())
	for _, key := range q.Keys {
		value, good := t.getAnswer(key)
		ready = ready && good
		subject.WriteString(key + "=" + value + "\n")
	}
	return subject.String(), ready
}

func (t *session) runLookup(m lookupDueMsg) {
	q := t.findLookup(m.id)
	if q == nil || q.generation != m.generation || !q.scheduled {
		return
	}
	q.scheduled, q.running, q.began = false, true, t.now()
	spec, lookup, ask := t.spec(), t.interview.LookupEnv, q.Run
	cmd, cancel := t.spawn(func(ctx context.Context) tea.Msg {
		secrets, _ := wizard.ResolveSecrets(spec, lookup)
		reply, err := ask(ctx, spec, secrets)
		return lookupResultMsg{m, reply, err}
	})
	q.cancel = cancel
	t.addCommand(cmd)
	t.addCommand(t.later(minBusyTime, busyShownMsg{}))
}

// Results for other than the present answers are dropped.
func (t *session) handleLookup(m lookupResultMsg) {
	q := t.findLookup(m.id)
	if q == nil || q.generation != m.generation || !q.running {
		return
	}
	q.running, q.known, q.cancel, q.endedAt = false, true, nil, t.now()
	if q.err = m.err; m.err == nil {
		q.result = sanitizeLookup(m.result, t.ascii)
	}
}

func (t *session) resetLookups() {
	for _, q := range t.lookups {
		q.reset()
	}
}

func (t *session) findLookup(id string) *lookupState {
	for _, q := range t.lookups {
		if q.ID == id {
			return q
		}
	}
	return nil
}
