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

// inquiry is what the outside was asked, and what it said.
type inquiry struct {
	wizard.Inquiry
	about   string // the answers that it is about, all in one text
	turn    int    // counts what was asked: what is not of this turn is dropped
	waiting bool   // it is about to be asked
	asking  bool
	known   bool // reply or err holds for the answers
	reply   wizard.Reply
	err     error
	began   time.Time
	at      time.Time // when the answer came
	cancel  context.CancelFunc
}

// Times of inquiries.
const (
	settling  = 400 * time.Millisecond // after the last change, before anybody is asked
	busyLeast = time.Second            // that a busy mark is seen at least
)

// seen says that a busy mark was seen long enough.
type seen struct{}

// due says that an inquiry has waited long enough.
type due struct {
	id   string
	turn int
}

// answered is the end of an inquiry.
type answered struct {
	due
	reply wizard.Reply
	err   error
}

// busy tells whether an inquiry is being made, or so short a time ago that nobody saw it.
func (q *inquiry) busy(now time.Time) bool {
	return q.waiting || q.asking || q.known && now.Sub(q.began) < busyLeast
}

// status is how an inquiry went.
func (q *inquiry) status(now time.Time) pane.Status {
	switch {
	case q.busy(now):
		return pane.Running
	case !q.known, q.reply.Pending:
		return pane.Waiting
	case q.err != nil:
		return pane.Warn
	case len(q.reply.Faults) > 0:
		return pane.Failed
	case len(q.reply.Warnings) > 0:
		return pane.Warn
	}
	return pane.OK
}

// inquire has everybody asked about whose answers have changed, after a pause in which more may change.
func (t *talk) inquire(pause time.Duration) {
	for _, q := range t.inquiries {
		about, ready := t.subject(q)
		if about == q.about && (q.known || q.waiting || q.asking || !ready) {
			continue
		}
		q.forget()
		if q.about = about; ready {
			t.await(q, pause)
		}
	}
}

// errStopped is what an inquiry comes to that the operator did not want to wait for.
var errStopped = errors.New("stopped")

// asksOutside tells whether somebody is being asked.
func (t *talk) asksOutside() bool {
	return slices.ContainsFunc(t.inquiries, func(q *inquiry) bool { return q.asking })
}

// stop ends what is being asked: nobody could tell.
func (t *talk) stop() {
	for _, q := range t.inquiries {
		if q.asking {
			q.forget()
			q.known, q.err, q.at, q.began = true, errStopped, t.now(), time.Time{}
		}
	}
}

// again asks everybody once more, now. Whoever wants that while somebody is asked has waited long enough.
func (t *talk) again() {
	if t.asksOutside() {
		t.stop()
		return
	}
	for _, q := range t.inquiries {
		if _, ready := t.subject(q); ready {
			q.forget()
			t.await(q, 0)
		}
	}
	t.look()
}

// forget drops what an inquiry said, or would say. Choices stay to choose from, and limits to compare with: they rarely
// change, and nobody shall slip past them while they are asked for again.
func (q *inquiry) forget() {
	if q.cancel != nil {
		q.cancel()
	}
	q.turn++
	q.waiting, q.asking, q.known, q.err, q.cancel = false, false, false, nil, nil
	q.reply = wizard.Reply{Choices: q.reply.Choices, Quotas: q.reply.Quotas}
}

func (t *talk) await(q *inquiry, pause time.Duration) {
	q.waiting = true
	moment := due{q.ID, q.turn}
	if pause == 0 {
		t.run(func() tea.Msg { return moment })
		return
	}
	t.run(t.later(pause, moment))
}

// subject returns the answers that an inquiry is about, and whether they are all there and good.
func (t *talk) subject(q *inquiry) (about string, ready bool) {
	var subject strings.Builder
	ready = q.AskedOf(t.spec())
	for _, key := range q.Keys {
		value, good := t.answer(key)
		ready = ready && good
		subject.WriteString(key + "=" + value + "\n")
	}
	return subject.String(), ready
}

// ask makes an inquiry that is due.
func (t *talk) ask(m due) {
	q := t.inquiry(m.id)
	if q == nil || q.turn != m.turn || !q.waiting {
		return
	}
	q.waiting, q.asking, q.began = false, true, t.now()
	spec, lookup, ask := t.spec(), t.interview.Lookup, q.Ask
	cmd, cancel := t.spawn(func(ctx context.Context) tea.Msg {
		secrets, _ := wizard.ResolveSecrets(spec, lookup)
		reply, err := ask(ctx, spec, secrets)
		return answered{m, reply, err}
	})
	q.cancel = cancel
	t.run(cmd)
	t.run(t.later(busyLeast, seen{}))
}

// hear takes the end of an inquiry, unless the answers have changed since.
func (t *talk) hear(m answered) {
	q := t.inquiry(m.id)
	if q == nil || q.turn != m.turn || !q.asking {
		return
	}
	q.asking, q.known, q.cancel, q.at = false, true, nil, t.now()
	if q.err = m.err; m.err == nil {
		q.reply = cleanReply(m.reply, t.ascii)
	}
}

// silence ends all inquiries.
func (t *talk) silence() {
	for _, q := range t.inquiries {
		q.forget()
	}
}

// inquiry returns the inquiry with an ID, or nil.
func (t *talk) inquiry(id string) *inquiry {
	for _, q := range t.inquiries {
		if q.ID == id {
			return q
		}
	}
	return nil
}
