package exoscale

import (
	"context"
	"time"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

const (
	// absenceLimit is how long a new instance may be absent from the list, which need not be consistent with its creation, before
	// its operation is polled.
	absenceLimit = 10 * time.Second
	// startLimit is how long an instance may be starting before its operation is polled; most take less than a minute.
	startLimit = 2 * time.Minute
	// instanceLimit is how long an instance may take to run: the first ones of a new template take long.
	instanceLimit = 30 * time.Minute
)

// pendingInstance exists or was requested, and was not yet reported.
type pendingInstance struct {
	state.Instance
	action    state.Action
	protected bool
	operation string        // of its creation; "" if it was found
	since     time.Time     // when waiting for it began
	checked   time.Time     // when its operation was polled last
	pause     time.Duration // until the next poll of its operation
}

func (c *Instances) newPending(instance state.Instance, action state.Action, id, operation string) *pendingInstance {
	instance.ID = id
	return &pendingInstance{Instance: instance, action: action, operation: operation, since: c.api.Clock.Now()}
}

func (m *pendingInstance) updateFrom(live *v2.Instance) {
	m.Address, m.State, m.Created = formatAddress(live), deref(live.State), deref(live.CreatedAt)
	m.protected = isProtected(live)
}

func (m *pendingInstance) hasWrongProtection() bool { return m.Protected != m.protected }

func isRunning(live *v2.Instance) bool {
	return deref(live.State) == "running" && formatAddress(live) != ""
}

// checkPending finds out why an instance does not run, and returns what the API has of it: one that a list omits is fetched by
// its ID before it counts as gone. No error means that it may still start. It polls an operation only if the list shows the
// instance as wrong or late, and only a few operations per list.
func (w *instanceWaiter) checkPending(ctx context.Context, m *pendingInstance, live *v2.Instance, checks *int) (*v2.Instance, error) {
	now := w.instances.api.Clock.Now()
	late := now.Sub(m.since) >= instanceLimit
	wrong := live != nil && !isStarting(live)
	if !late && !wrong && (*checks == 0 || !m.isOverdue(now, live)) {
		return live, nil
	}
	*checks = max(*checks-1, 0)
	m.pause = max(2*m.pause, absenceLimit)
	m.checked = now
	goes, err := w.isCreating(ctx, m)
	if err == nil && live == nil && (late || !goes) {
		live, err = w.getUnlisted(ctx, m)
	}
	if err != nil || live != nil && isRunning(live) {
		return live, err
	}
	return live, w.explainAbsence(m, live, goes, late)
}

// explainAbsence returns nil if the instance may still start. goes reports whether its creation is running.
func (w *instanceWaiter) explainAbsence(m *pendingInstance, live *v2.Instance, goes, late bool) error {
	switch {
	case live != nil && !isStarting(live) && !goes:
		return w.newHaltedError(m, live)
	case late:
		return fault.Newf(fault.Timeout, "wait for instance "+m.Name, "it is %s after %s", describeState(live), instanceLimit).
			WithHint("check it in the Exoscale portal; run again to continue waiting")
	case live == nil && !goes:
		return fault.Newf(fault.Transient, "wait for instance "+m.Name, "it has disappeared from zone %s", w.instances.api.Zone).
			WithHint("check in the event log of the Exoscale portal who deleted it; run again to recreate it")
	}
	return nil
}

// getUnlisted returns nil if the instance does not exist or is being deleted.
func (w *instanceWaiter) getUnlisted(ctx context.Context, m *pendingInstance) (*v2.Instance, error) {
	live, err := getInstance(ctx, w.instances.api, m.ID)
	if fault.Is(err, fault.NotFound) || err == nil && isVanishing(live) {
		return nil, nil
	}
	return live, err
}

// isOverdue returns true once the instance is late, then at increasing intervals.
func (m *pendingInstance) isOverdue(now time.Time, live *v2.Instance) bool {
	timeout := absenceLimit
	if live != nil {
		timeout = startLimit
	}
	return now.Sub(m.since) >= timeout && now.Sub(m.checked) >= m.pause
}

// isCreating fails with the API's reason if the creation has failed.
func (w *instanceWaiter) isCreating(ctx context.Context, m *pendingInstance) (bool, error) {
	if m.operation == "" {
		return false, nil
	}
	return w.instances.api.IsPending(ctx, "create instance "+m.Name, m.operation)
}

func isStarting(live *v2.Instance) bool {
	switch deref(live.State) {
	case "starting", "migrating", "running":
		return true
	}
	return false
}

func (w *instanceWaiter) newHaltedError(m *pendingInstance, live *v2.Instance) error {
	return fault.Newf(fault.Conflict, "wait for instance "+m.Name, "it is %s", describeState(live)).
		WithHint("start or delete instance %s in zone %s, then run again", m.ID, w.instances.api.Zone)
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
