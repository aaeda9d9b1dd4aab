package exoscale

import (
	"time"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/state"
)

// member is a machine that is there, or was asked for, and was not told of yet.
type member struct {
	state.Instance
	action    state.Action
	protected bool
	operation string        // of its creation; "" if it was found
	since     time.Time     // when the wait for it began
	checked   time.Time     // when its operation was asked for last
	pause     time.Duration // until it is asked for again
}

func (c *Client) newMember(instance state.Instance, action state.Action, id, operation string) *member {
	instance.ID = id
	return &member{Instance: instance, action: action, operation: operation, since: c.clock.Now()}
}

// see notes what a list shows of the machine.
func (m *member) see(live *v2.Instance) {
	m.Address, m.State, m.Created = address(live), value(live.State), value(live.CreatedAt)
	m.protected = isProtected(live)
}

// misprotected tells whether the machine's protection is not as it is wanted.
func (m *member) misprotected() bool { return m.Protected != m.protected }
