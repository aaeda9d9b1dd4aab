package diagnosis

import (
	"fmt"
	"slices"

	"exoshift/state"
)

// PowerRules are about a cluster whose machines were off.
func PowerRules() []Rule {
	return []Rule{{
		ID:          "expired-while-off",
		Cause:       "The certificates of nodes ended while their machines were off, so their kubelets request new ones, which nobody approves by itself.",
		Fix:         "Have new ones approved, by the rules of an installation:\nexoshift repair certificates",
		Confidence:  High,
		Disposition: Stop,
		Blocks:      Nodes,
		Explains:    []string{"requests-left"},
		detect:      detectExpiredCertificates,
	}}
}

// NewOfPower returns an Evaluator for the rules about a cluster whose machines were off alone.
func NewOfPower() *Evaluator {
	return &Evaluator{rules: PowerRules(), candidates: map[string]*candidate{}}
}

// A node that is not ready, and was registered by the very machine that requests its first certificate again.
func detectExpiredCertificates(m *inputIndex) (found detection) {
	if m.Facts.Installed.IsZero() {
		return found
	}
	for _, request := range m.Snapshot.Requests {
		node, registered := m.nodes[request.Node]
		machine, exists := m.machines[request.Node]
		mayWait := request.BlockedReason == "" || request.BlockedReason == state.SkippedRegistered
		switch {
		case request.Serving, request.State != state.RequestPending, !mayWait, !registered, node.Ready, !exists, machine.State != "running":
		case node.Created.Before(machine.Created): // another machine registered it
		case request.Created.Before(node.Created): // another request of the machine was approved, with which it has joined
		case slices.Contains(found.subject, request.Node):
		default:
			found.subject = append(found.subject, request.Node)
			found.evidence = append(found.evidence, fmt.Sprintf("%s has not reported since %s, its machine runs, and its request %s waits",
				request.Node, node.Heartbeat.UTC().Format("2006-01-02 15:04 MST"), quoteName(request.Name)))
		}
	}
	return found
}
