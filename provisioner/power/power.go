// Package power stops a whole cluster, and starts it again, in an order in which nothing is lost and everything finds what it needs.
package power

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/provisioner/clusterevents"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/rook"
)

// Cloud has the machines of the cluster.
type Cloud interface {
	// ListInstances returns the instances that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	// StopInstance stops an instance and waits until it is stopped: state.Found if it was, fault.Transient while it is being stopped.
	StopInstance(ctx context.Context, id string) (state.Action, error)
	// StartInstance starts an instance that is stopped and waits until it runs: state.Found if it is not stopped.
	StartInstance(ctx context.Context, id string) (state.Action, error)
}

// Cluster is the API of the cluster.
type Cluster interface {
	nodes.Poller
	// Approve approves those pending requests of the last poll that may be approved.
	Approve(ctx context.Context) ([]state.CSRDecision, error)
	// ListClusterNodes returns the nodes, sorted by name.
	ListClusterNodes(ctx context.Context) ([]state.ClusterNode, error)
	// SetCordon cordons a node or ends that: state.Found if it is so already, fault.NotFound if there is no such node.
	SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error)
	// GetCeph returns what Ceph reports.
	GetCeph(ctx context.Context) (rook.Ceph, error)
	// RunCeph runs a command of Ceph: fault.Conflict if Ceph refuses it.
	RunCeph(ctx context.Context, arguments ...string) error
	// SuspendUpgrades suspends an UpgradeConfig, or ends that. fault.NotFound: there is none of that name.
	SuspendUpgrades(ctx context.Context, config string, suspend bool) error
	// InspectStop reads what decides whether the cluster may be stopped, beyond its health.
	InspectStop(ctx context.Context) (state.StopConditions, error)
}

// Clients are what a cluster is stopped and started with.
type Clients struct {
	Cloud   Cloud
	Cluster Cluster
	Clock   provisioner.Clock
}

// Phases of the steps, by which a failure has its exit code: those of an installation.
const (
	phaseMachines     = "infrastructure"
	phaseControlPlane = "control-plane"
	phaseNodes        = "nodes"
	phaseOperators    = "operators"
)

const (
	pollInterval = 10 * time.Second
	// machineLimit is for how long a machine may take to stop or to start.
	machineLimit = 15 * time.Minute
)

// group is the machines that are stopped and started at once. Storage serves what runs on the others, and everybody reaches the masters
// through the load balancers.
type group struct{ id, title string }

func listGroups() (balancers, masters, storage, workers group) {
	return group{"load-balancers", "load balancers"}, group{"masters", "masters"}, group{"storage", "storage nodes"}, group{"workers", "workers and infra nodes"}
}

func (g group) includes(role state.Role) bool {
	balancers, masters, storage, _ := listGroups()
	switch role {
	case state.RoleLoadBalancer:
		return g == balancers
	case state.RoleMaster:
		return g == masters
	case state.RoleStorage:
		return g == storage
	}
	return g.id == "workers"
}

// run is what stops and starts have in common.
type run struct {
	spec    state.Spec
	facts   *state.FactsStore
	journal state.Recorder
	clients Clients
	changes clusterevents.Emitter
	states  provisioner.LastStates // of requests for certificates
}

// listMachines returns the machines of a group, sorted by name.
func (r *run) listMachines(ctx context.Context, of group) ([]state.Instance, error) {
	all, err := r.clients.Cloud.ListInstances(ctx, r.spec.Labels())
	all = slices.DeleteFunc(all, func(m state.Instance) bool { return !of.includes(state.Role(m.Labels[state.LabelRole])) })
	stable.Sort(all, func(a, b state.Instance) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// The states of machines in which they stay.
const (
	running = "running"
	stopped = "stopped"
)

// IsRunning reports whether a machine runs, and is to go on with it.
func IsRunning(machine state.Instance) bool { return machine.State == running }

// bring has every machine of a group in a state: change is called for those that are in the opposite one, and the others are waited for.
func (r *run) bring(ctx context.Context, report provisioner.Report, of group, from, to string, change func(context.Context, string) (state.Action, error)) error {
	return r.repeat(machineLimit, func(ctx context.Context, report provisioner.Report) error {
		machines, err := r.listMachines(ctx, of)
		if err != nil {
			return err
		}
		err = provisioner.ForEach(ctx, machines, func(ctx context.Context, machine state.Instance) error {
			if machine.State != from {
				return nil
			}
			action, err := change(ctx, machine.ID)
			if fault.Is(err, fault.Transient) {
				return nil // it is listed again
			}
			if err == nil {
				report.EmitObject(state.KindInstance, machine.Name, machine.ID, string(action))
			}
			return err
		})
		if err == nil {
			machines, err = r.listMachines(ctx, of)
		}
		if err != nil {
			return err
		}
		return waitFor(machines, to)
	})(ctx, report)
}

// waitFor returns the machines that are in another state, a temporary failure.
func waitFor(machines []state.Instance, wanted string) error {
	var waiting []string
	for _, machine := range machines {
		if machine.State != wanted {
			waiting = append(waiting, machine.Name+" is "+machine.State)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	return fault.Newf(fault.Transient, "wait for the machines", "%s", strings.Join(waiting, ", "))
}

// repeat repeats a check until it succeeds, fails for good, or the limit has passed.
func (r *run) repeat(limit time.Duration, check provisioner.StepFunc) provisioner.StepFunc {
	var failure error
	wait := provisioner.PollUntil(r.clients.Clock, pollInterval, limit, func(ctx context.Context, report provisioner.Report) error {
		if failure = check(ctx, report); fault.Is(failure, fault.Transient) || fault.Is(failure, fault.Timeout) {
			return failure
		}
		return nil
	})
	return func(ctx context.Context, report provisioner.Report) error {
		if err := wait(ctx, report); err != nil {
			return err
		}
		return failure
	}
}

// update changes a copy of what is known of the hibernation, and stores it.
func (r *run) update(change func(*state.Hibernation)) error {
	return r.facts.Update(func(facts *state.Facts) {
		changed := state.Hibernation{}
		if facts.Hibernation != nil {
			changed = *facts.Hibernation
			changed.Cordoned, changed.Starts = slices.Clone(changed.Cordoned), maps.Clone(changed.Starts)
			changed.Flags, changed.Suspended = slices.Clone(changed.Flags), slices.Clone(changed.Suspended)
		}
		change(&changed)
		facts.Hibernation = &changed
	})
}

// hibernation returns the zero value if there is none.
func (r *run) hibernation() state.Hibernation {
	if known := r.facts.Get().Hibernation; known != nil {
		return *known
	}
	return state.Hibernation{}
}

// endCordons ends the cordons that a stop has begun, and forgets them.
func (r *run) endCordons(ctx context.Context, report provisioner.Report) error {
	for _, node := range r.hibernation().Cordoned {
		action, err := r.clients.Cluster.SetCordon(ctx, node, false)
		switch {
		case fault.Is(err, fault.NotFound):
			continue
		case err != nil:
			return err
		}
		report.EmitObject(nodes.KindNode, node, "", string(action))
	}
	return r.update(func(h *state.Hibernation) { h.Cordoned = nil })
}

// forget ends the record, unless something of it is still to be ended.
func (r *run) forget() error {
	return r.facts.Update(func(facts *state.Facts) {
		if known := facts.Hibernation; known != nil && len(known.Cordoned)+len(known.Flags)+len(known.Suspended) == 0 {
			facts.Hibernation = nil
		}
	})
}

// poll reads the whole state of the cluster, with no node for which certificates are expected.
func (r *run) poll(ctx context.Context) (state.Snapshot, error) {
	return r.clients.Cluster.Poll(ctx, netip.Addr{}, nil)
}
