package exoscale

import (
	"context"
	"time"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
)

const (
	// absenceLimit is how long a new machine may be absent from the list, which need not be consistent with what was
	// just ordered, before its operation is asked for.
	absenceLimit = 10 * time.Second
	// startLimit is how long a machine may be starting before its operation is asked for; most take less than a
	// minute.
	startLimit = 2 * time.Minute
)

// isRunning tells whether an instance runs and has its public address.
func isRunning(live *v2.Instance) bool {
	return deref(live.State) == "running" && formatAddress(live) != ""
}

// checkPending finds out why a member does not run, and returns it as far as it is there: what a list omits is asked for by its
// ID before it counts as gone. No error means that it may still come up. Operations that need no asking are not asked for:
// only what a list shows to be wrong or late, and a few at a time.
func (c *Client) checkPending(ctx context.Context, m *pendingInstance, live *v2.Instance, checks *int) (*v2.Instance, error) {
	now := c.clock.Now()
	late := now.Sub(m.since) >= instanceLimit
	wrong := live != nil && !isStarting(live)
	if !late && !wrong && (*checks == 0 || !m.isOverdue(now, live)) {
		return live, nil
	}
	*checks = max(*checks-1, 0)
	m.pause = max(2*m.pause, absenceLimit)
	m.checked = now
	goes, err := c.isCreating(ctx, m)
	if err == nil && live == nil && (late || !goes) {
		live, err = c.getUnlisted(ctx, m)
	}
	if err != nil || live != nil && isRunning(live) {
		return live, err
	}
	return live, c.explainAbsence(m, live, goes, late)
}

// explainAbsence returns why a member that does not run will not come up, nil if it may: its creation goes on or not, and it is
// late or not.
func (c *Client) explainAbsence(m *pendingInstance, live *v2.Instance, goes, late bool) error {
	switch {
	case live != nil && !isStarting(live) && !goes:
		return c.newHaltedError(m, live)
	case late:
		return fault.Newf(fault.Timeout, "wait for instance "+m.Name, "it is %s after %s", describeState(live), instanceLimit).
			WithHint("look at it in the Exoscale portal; run again to wait on")
	case live == nil && !goes:
		return fault.Newf(fault.Transient, "wait for instance "+m.Name, "it has vanished from zone %s", c.zone).
			WithHint("look who deleted it in the event log of the Exoscale portal; run again to make it anew")
	}
	return nil
}

// getUnlisted asks for a member by its ID; nil if there is none, or it is about to vanish.
func (c *Client) getUnlisted(ctx context.Context, m *pendingInstance) (*v2.Instance, error) {
	live, err := c.getInstance(ctx, m.ID)
	if fault.Is(err, fault.NotFound) || err == nil && isVanishing(live) {
		return nil, nil
	}
	return live, err
}

// isOverdue tells whether it is time to ask about a member: first when it is late, then ever more rarely.
func (m *pendingInstance) isOverdue(now time.Time, live *v2.Instance) bool {
	patience := absenceLimit
	if live != nil {
		patience = startLimit
	}
	return now.Sub(m.since) >= patience && now.Sub(m.checked) >= m.pause
}

// isCreating asks how the creation of a member fares, and fails with the reason of the API if it has failed.
func (c *Client) isCreating(ctx context.Context, m *pendingInstance) (bool, error) {
	if m.operation == "" {
		return false, nil
	}
	return c.isPending(ctx, "create instance "+m.Name, m.operation)
}

// isStarting tells whether an instance is in a state from which it reaches "running" by itself.
func isStarting(live *v2.Instance) bool {
	switch deref(live.State) {
	case "starting", "migrating", "running":
		return true
	}
	return false
}

func (c *Client) newHaltedError(m *pendingInstance, live *v2.Instance) error {
	return fault.Newf(fault.Conflict, "wait for instance "+m.Name, "it is %s", describeState(live)).
		WithHint("start or delete instance %s in zone %s, then run again", m.ID, c.zone)
}

func describeState(live *v2.Instance) string {
	switch {
	case live == nil:
		return "absent"
	case deref(live.State) == "running":
		return "running without an address"
	}
	return deref(live.State)
}
