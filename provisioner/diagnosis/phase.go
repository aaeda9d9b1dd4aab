package diagnosis

import "slices"

// Phase is a part of an installation that a failure keeps from ending; its name is that of the recipe.
type Phase string

// The phases that rules know, in their order.
const (
	Bootstrap    Phase = "bootstrap"
	ControlPlane Phase = "control-plane"
	Nodes        Phase = "nodes"
	Operators    Phase = "operators"
)

// controlPlanePart is a part of the control plane's phase.
type controlPlanePart int

// The parts of the control plane, in their order. Rules that name none are about etcd, and what it needs of the masters.
const (
	joiningMasters controlPlanePart = 1 + iota
	growingEtcd
	leavingBootstrap
)

// rank returns the place of a phase in their order; "" comes last.
func (p Phase) rank() int {
	phases := []Phase{Bootstrap, ControlPlane, Nodes, Operators}
	if i := slices.Index(phases, p); i >= 0 {
		return i
	}
	return len(phases)
}
