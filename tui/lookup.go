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

// lookupState is what the outside was asked, and what it said.
type lookupState struct {
	wizard.Lookup
	subject    string // the answers that it is about, all in one text
	generation int    // counts what was asked: what is not of this turn is dropped
	scheduled  bool   // it is about to be asked
	running    bool
	known      bool // reply or err holds for the answers
	result     wizard.LookupResult
	err        error
	began      time.Time
	endedAt    time.Time // when the answer came
	cancel     context.CancelFunc
}

// Times of inquiries.
const (
	lookupDelay = 400 * time.Millisecond // after the last change, before anybody is asked
	minBusyTime = time.Second            // that a busy mark is seen at least
)

// busyShownMsg says that a busy mark was seen long enough.
type busyShownMsg struct{}

// lookupDueMsg says that an inquiry has waited long enough.
type lookupDueMsg struct {
	id         string
	generation int
}

// lookupResultMsg is the end of an inquiry.
type lookupResultMsg struct {
	lookupDueMsg
	result wizard.LookupResult
	err    error
}

// isBusy tells whether an inquiry is being made, or so short a time ago that nobody saw it.
func (q *lookupState) isBusy(now time.Time) bool {
	return q.scheduled || q.running || q.known && now.Sub(q.began) < minBusyTime
}

// status is how an inquiry went.
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

// scheduleLookups has everybody asked about whose answers have changed, after a pause in which more may change.
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

// errStopped is what an inquiry comes to that the operator did not want to wait for.
var errStopped = errors.New("stopped")

// isLookupRunning tells whether somebody is being asked.
func (t *session) isLookupRunning() bool {
	return slices.ContainsFunc(t.lookups, func(q *lookupState) bool { return q.running })
}

// cancelLookups ends what is being asked: nobody could tell.
func (t *session) cancelLookups() {
	for _, q := range t.lookups {
		if q.running {
			q.reset()
			q.known, q.err, q.endedAt, q.began = true, errStopped, t.now(), time.Time{}
		}
	}
}

// refreshLookups asks everybody once more, now. Whoever wants that while somebody is asked has waited long enough.
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

// reset drops what an inquiry said, or would say. Choices stay to choose from, and limits to compare with: they rarely
// change, and nobody shall slip past them while they are asked for again.
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

// buildSubject returns the answers that an inquiry is about, and whether they are all there and good.
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

// runLookup makes an inquiry that is due.
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

// handleLookup takes the end of an inquiry, unless the answers have changed since.
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

// resetLookups ends all inquiries.
func (t *session) resetLookups() {
	for _, q := range t.lookups {
		q.reset()
	}
}

// findLookup returns the inquiry with an ID, or nil.
func (t *session) findLookup(id string) *lookupState {
	for _, q := range t.lookups {
		if q.ID == id {
			return q
		}
	}
	return nil
}
