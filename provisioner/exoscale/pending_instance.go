package exoscale

import (
	"time"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/state"
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

func (c *Client) newPendingInstance(instance state.Instance, action state.Action, id, operation string) *pendingInstance {
	instance.ID = id
	return &pendingInstance{Instance: instance, action: action, operation: operation, since: c.clock.Now()}
}

func (m *pendingInstance) updateFrom(live *v2.Instance) {
	m.Address, m.State, m.Created = formatAddress(live), deref(live.State), deref(live.CreatedAt)
	m.protected = isProtected(live)
}

func (m *pendingInstance) hasWrongProtection() bool { return m.Protected != m.protected }
