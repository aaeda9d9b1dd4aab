package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"exoshift/provisioner"
	"exoshift/provisioner/install/machines"
	"exoshift/state"
)

// approver decides on the certificate requests of nodes.
type approver struct {
	spec     state.Spec
	facts    *state.FactsStore
	cluster  Cluster
	machines *machines.Machines
	newKeys  []string               // nodes whose machines may have one more key than usual
	states   provisioner.LastStates // of requests

	skipped int // requests that were skipped; of one poll at a time

	mu        sync.Mutex     // guards the fields below
	undecided map[string]int // keys that machines had, by node: another one is the operator's decision
	allowed   map[string]int // keys that the operator allows machines, by node
}

// Only requests of the last poll that follow all rules are approved; skipped ones are emitted.
func (r *approver) approve(ctx context.Context, report provisioner.Report, requests []state.NodeRequest) error {
	r.recordUndecided(requests)
	wanted := false
	for _, request := range requests {
		switch {
		case request.State != state.RequestPending:
			r.emitSettledCSR(report, request)
		case request.BlockedReason == "":
			wanted = true
		default:
			r.emitSkippedCSR(report, request)
		}
	}
	if !wanted {
		return nil
	}
	decisions, err := r.cluster.Approve(ctx)
	for _, decision := range decisions {
		r.emitCSR(report, decision)
	}
	return errors.Join(err, r.saveNewKeys(decisions))
}

func (r *approver) listExpectedNodes() []state.ExpectedNode {
	newKeys := r.facts.Get().NewKeys
	r.mu.Lock()
	defer r.mu.Unlock()
	var expected []state.ExpectedNode
	for _, machine := range r.spec.Nodes() {
		if instance, ok := r.machines.Find(machine.Name); ok {
			expected = append(expected, state.ExpectedNode{
				Name: machine.Name, Role: machine.Role, Addresses: []string{instance.Address}, Created: instance.Created,
				NewKeys: newKeys[instance.ID], Keys: r.allowed[machine.Name],
			})
		}
	}
	return expected
}

// allowNewKeys allows each machine that waits for the operator's decision its first certificate for one more key. The
// next poll approves it.
func (r *approver) allowNewKeys() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for node, keys := range r.undecided {
		r.allowed[node] = keys + 1
	}
}

// Machines that the options name are decided at once, but only once.
func (r *approver) recordUndecided(requests []state.NodeRequest) {
	if len(requests) == 0 { // the requests could not be read
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.undecided)
	for _, request := range requests {
		if request.State != state.RequestPending || request.Keys == 0 {
			continue
		}
		r.undecided[request.Node] = request.Keys
		if slices.Contains(r.newKeys, request.Node) && r.allowed[request.Node] == 0 {
			r.allowed[request.Node] = request.Keys + 1
		}
	}
	maps.DeleteFunc(r.undecided, func(node string, keys int) bool { return keys < r.allowed[node] })
}

// The approvals are recorded, as Kubernetes deletes old requests.
func (r *approver) saveNewKeys(decisions []state.CSRDecision) error {
	return r.facts.Update(func(facts *state.Facts) {
		known := maps.Clone(facts.NewKeys)
		for _, decision := range decisions {
			if instance, _ := r.machines.Find(decision.Node); decision.NewKey > 0 {
				if known == nil {
					known = map[string]int{}
				}
				known[instance.ID] = decision.NewKey
			}
		}
		facts.NewKeys = known
	})
}

func (r *approver) describeDecision() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.undecided) == 0 {
		return ""
	}
	nodes := slices.Sorted(maps.Keys(r.undecided))
	return fmt.Sprintf("These machines request their first certificate with one key after the other and do not register: %s\n"+
		"Check their consoles: either their certificates get lost, or someone else requests them in their name.\n"+
		"To approve one more key of each, press a on the dashboard, or run the same command again with\n--approve-new-key %s",
		JoinNodes(nodes), strings.Join(nodes[:min(len(nodes), 12)], ","))
}

// Further skipped requests are not emitted: with the node bootstrapper's credentials anybody can create any number of
// them.
const maxSkippedCSRs = 100

func (r *approver) emitSkippedCSR(report provisioner.Report, request state.NodeRequest) {
	known := r.states.Get("csr/"+request.Name) != ""
	if !known {
		r.skipped++
	}
	switch {
	case known || r.skipped <= maxSkippedCSRs:
		decision := state.CSRDecision{Name: request.Name, Node: request.Node, Decision: state.Skipped, Reason: request.BlockedReason}
		if request.Keys > 0 {
			decision.Decision = state.Undecided
		}
		r.emitCSR(report, decision)
	case r.states.Update("left", "many"):
		report.EmitProgress(fmt.Sprintf("more than %d certificate requests were not approved; oc get csr lists them", maxSkippedCSRs))
	}
}

func (r *approver) emitCSR(report provisioner.Report, d state.CSRDecision) {
	if r.states.Update("csr/"+d.Name, d.Decision+d.Reason) {
		report(provisioner.Event{Type: provisioner.TypeCSR, Name: d.Name, Node: d.Node, Decision: d.Decision, Reason: d.Reason})
	}
}

// emitSettledCSR withdraws the action needed once another user has approved a skipped request.
func (r *approver) emitSettledCSR(report provisioner.Report, request state.NodeRequest) {
	if request.State != state.RequestApproved && request.State != state.RequestIssued {
		return
	}
	if text := r.states.Get("csr/" + request.Name); text != "" && !strings.HasPrefix(text, state.Approved) {
		r.emitCSR(report, state.CSRDecision{Name: request.Name, Node: request.Node, Decision: state.Approved, Reason: "by someone else"})
	}
}

// JoinNodes joins the names of nodes in a sentence, twelve of them at most.
func JoinNodes(names []string) string {
	const enough = 12
	if len(names) <= enough {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:enough], ", "), len(names)-enough)
}
