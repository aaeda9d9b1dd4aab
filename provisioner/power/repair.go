package power

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Repair has the nodes of a cluster whose machines run get new certificates, because the old ones ended while the machines were off. The
// rules are those of a start.
type Repair struct{ Start }

// NewRepair is for the cluster of these answers.
func NewRepair(spec state.Spec, facts *state.FactsStore, clients Clients, journal state.Recorder) *Repair {
	return &Repair{Start: *NewStart(spec, facts, clients, journal)}
}

// SilentNode is a node that is not ready although its machine runs.
type SilentNode struct {
	Name     string
	Reason   string   // why it is not ready
	Requests []string // names of its requests for certificates that wait
	machine  string   // ID
}

// Review returns the nodes that are not ready. fault.Conflict: machines do not run, so that this is no matter of certificates, or a stop or
// a start has not ended.
func (r *Repair) Review(ctx context.Context) ([]SilentNode, error) {
	const op = "repair certificates"
	if r.hibernation().Committed {
		return nil, fault.Newf(fault.Conflict, op, "nothing was changed: the cluster was stopped, and is not started again yet").
			WithHint("exoshift start ends that, certificates included")
	}
	machines, err := r.clients.Cloud.ListInstances(ctx, r.spec.Labels())
	if err != nil {
		return nil, err
	}
	seen, err := r.poll(ctx)
	if err != nil {
		return nil, err
	}
	waiting := map[string][]string{}
	for _, request := range seen.Requests {
		if request.State == state.RequestPending {
			waiting[request.Node] = append(waiting[request.Node], request.Name)
		}
	}
	var silent []SilentNode
	var off []string
	for _, answer := range r.spec.Nodes() {
		at := slices.IndexFunc(machines, func(m state.Instance) bool { return m.Name == answer.Name })
		node := slices.IndexFunc(seen.Nodes, func(n state.NodeStatus) bool { return n.Name == answer.Name })
		switch {
		case at < 0 || node < 0: // for an installation
		case machines[at].State != running:
			off = append(off, answer.Name)
		case !seen.Nodes[node].Ready:
			silent = append(silent, SilentNode{Name: answer.Name, Reason: seen.Nodes[node].Reason, Requests: waiting[answer.Name], machine: machines[at].ID})
		}
	}
	if len(off) > 0 {
		return nil, fault.Newf(fault.Conflict, op, "nothing was changed: the machines of %s do not run", strings.Join(off, ", ")).
			WithHint("exoshift start starts them, and approves the certificates that they need")
	}
	return silent, nil
}

// IsBegun reports whether an earlier repair has not ended.
func (r *Repair) IsBegun() bool {
	known := r.facts.Get().Hibernation
	return known != nil && !known.Committed && len(known.Starts) > 0
}

// Plan returns the steps, each after the one before it.
func (r *Repair) Plan() provisioner.Plan {
	start := r.Start.Plan()
	plan := provisioner.Plan{{ID: "record", Title: "Record from when on requests for certificates count", Phase: phaseNodes, Do: r.record}}
	for _, step := range start {
		if strings.HasPrefix(step.ID, "wait-") || step.ID == "operators" {
			plan = append(plan, step)
		}
	}
	for i := range plan {
		plan[i].Needs = nil
	}
	return chain(plan)
}

// record has only requests count that come from now on: a kubelet without a certificate makes another one every quarter of an hour.
func (r *Repair) record(ctx context.Context, report provisioner.Report) error {
	silent, err := r.Review(ctx)
	if err != nil {
		return err
	}
	if len(silent) == 0 {
		return provisioner.Skip("every node is ready: what is left is of an earlier run")
	}
	now := r.clients.Clock.Now()
	var names []string
	err = r.update(func(h *state.Hibernation) {
		*h = state.Hibernation{Begun: now, Cordoned: h.Cordoned, Flags: h.Flags, Suspended: h.Suspended} // of a stop that was killed
		for _, node := range silent {
			names = append(names, node.Name)
			if h.Starts == nil {
				h.Starts = map[string]time.Time{}
			}
			h.Starts[node.machine] = now
		}
	})
	if err == nil {
		report.EmitProgress(fmt.Sprintf("%s may get new certificates; kubelets ask every 15 minutes", strings.Join(names, ", ")))
	}
	return err
}
