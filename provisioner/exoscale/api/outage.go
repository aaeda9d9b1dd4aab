package api

import (
	"sync"
	"time"

	"exoshift/state"
)

// AwayLimit is how long a patient client repeats a request while the API is away.
const AwayLimit = 10 * time.Minute

// shortOutage is not worth a notice.
const shortOutage = 5 * time.Second

// outageTracker follows outages over all requests of a client.
type outageTracker struct {
	mu       sync.Mutex // guards the rest; held while notify runs, so that notices come in order
	notify   func(state.Outage)
	answered bool // since the client exists
	current  state.Outage
	notified bool // of current
}

func (t *outageTracker) listen(notify func(state.Outage)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notify = notify
}

// isPatient is false before the first answer: an API that never answered is rather out of reach of this machine than away.
func (t *outageTracker) isPatient() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.notify != nil && t.answered
}

func (t *outageTracker) recordFailure(now time.Time, failed *requestError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.Since.IsZero() {
		t.current.Since = now
	}
	t.current.Cause, t.current.Until = failed.Error(), t.current.Since.Add(AwayLimit)
	if t.notify != nil && t.answered && !t.notified && now.Sub(t.current.Since) >= shortOutage {
		t.notified = true
		t.notify(t.current)
	}
}

func (t *outageTracker) recordAnswer(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answered = true
	if t.notified {
		t.current.Until, t.current.Over = now, true
		t.notify(t.current)
	}
	t.current, t.notified = state.Outage{}, false
}
