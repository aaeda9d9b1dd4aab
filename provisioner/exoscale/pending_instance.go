package exoscale

import (
	"time"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/state"
)

// pendingInstance is a machine that is there, or was asked for, and was not told of yet.
type pendingInstance struct {
	state.Instance
	action    state.Action
	protected bool
	operation string        // of its creation; "" if it was found
	since     time.Time     // when the wait for it began
	checked   time.Time     // when its operation was asked for last
	pause     time.Duration // until it is asked for again
}

func (c *Client) newPendingInstance(instance state.Instance, action state.Action, id, operation string) *pendingInstance {
	instance.ID = id
	return &pendingInstance{Instance: instance, action: action, operation: operation, since: c.clock.Now()}
}

// updateFrom notes what a list shows of the machine.
func (m *pendingInstance) updateFrom(live *v2.Instance) {
	m.Address, m.State, m.Created = formatAddress(live), deref(live.State), deref(live.CreatedAt)
	m.protected = isProtected(live)
}

// hasWrongProtection tells whether the machine's protection is not as it is wanted.
func (m *pendingInstance) hasWrongProtection() bool { return m.Protected != m.protected }
