// Package balancers replaces the load balancers of a cluster that runs, one after the other: the elastic IPs and the addresses of the API
// are left to the other one first, which has to be proven to serve.
package balancers

import (
	"context"
	"net/netip"
	"slices"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

// Cloud has the machines, the elastic IPs and the records.
type Cloud interface {
	network.Cloud
	// ListAttached returns the IDs of the elastic IPs that are attached to a machine.
	ListAttached(ctx context.Context, instanceID string) ([]string, error)
	// EnsureAttached attaches an elastic IP to a machine, beside others that have it.
	EnsureAttached(ctx context.Context, elasticIPID, instanceID string) (state.Action, error)
	// EnsureDetached detaches it: state.Found if it is not attached, or the machine is gone.
	EnsureDetached(ctx context.Context, elasticIPID, instanceID string) (state.Action, error)
	// DeleteInstance deletes an instance and waits until it is gone: state.Found if it was.
	DeleteInstance(ctx context.Context, id string) (state.Action, error)
}

// Cluster is the running cluster.
type Cluster interface {
	// Poll reads the whole state of the cluster.
	Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error)
	// ListClusterNodes returns the nodes, sorted by name.
	ListClusterNodes(ctx context.Context) ([]state.ClusterNode, error)
	// CheckFromNode returns nil if a node reaches the API, the machine config server and the ingress by the load balancer with that address.
	// It is called again until then, and leaves something in the cluster until EndNodeChecks.
	CheckFromNode(ctx context.Context, node, address string) error
	// EndNodeChecks removes what CheckFromNode has left.
	EndNodeChecks(ctx context.Context) (state.Action, error)
}

// Outside asks load balancers and elastic IPs from this workstation.
type Outside interface {
	// CheckMonitor returns nil if the monitor port behind an address answers that HAProxy is ready.
	CheckMonitor(ctx context.Context, address string) error
	// CheckPort returns nil if a TCP port is open.
	CheckPort(ctx context.Context, address string, port int) error
	// CheckAPI returns nil if the cluster's API answers by that address.
	CheckAPI(ctx context.Context, address string) error
}

// Clients are what a roll works with.
type Clients struct {
	Cloud   Cloud
	Cluster Cluster
	Outside Outside
	Clock   provisioner.Clock
}

// Roll replaces load balancers one after the other.
type Roll struct {
	prober
	// create makes the machines of the answers that are missing, with their records and elastic IPs. The facts are up to date when it returns.
	create  provisioner.StepFunc
	names   []string // as they were given
	targets []Target
	ended   map[string]bool // of the targets, by name; steps run one after the other
}

// Target is a load balancer to replace.
type Target struct {
	Machine state.Machine
	Live    *state.Instance            // nil: an earlier run has deleted it
	Peers   []string                   // the load balancers that serve meanwhile
	Begun   *state.BalancerReplacement // by an earlier run of the same command; nil: it was not
}

// isMade reports whether an earlier run of the same command has made the new machine.
func (t Target) isMade() bool {
	return t.Begun != nil && t.Live != nil && t.Live.ID != t.Begun.MachineID
}

// isGone reports whether an earlier run has deleted the machine, and not made another.
func (t Target) isGone() bool { return t.Live == nil }

// New returns the roll of the load balancers of the cluster with these answers.
func New(spec state.Spec, facts *state.FactsStore, clients Clients, create provisioner.StepFunc) *Roll {
	return &Roll{prober: prober{spec, facts, clients}, create: create, ended: map[string]bool{}}
}

// Targets returns the load balancers to replace in their order, once Prepare has returned.
func (r *Roll) Targets() []Target { return r.targets }

// IsBegun reports whether an earlier run has begun to replace some of the targets.
func (r *Roll) IsBegun() bool {
	return slices.ContainsFunc(r.targets, func(t Target) bool { return t.Begun != nil })
}

// ListLeft returns the names to give for what is left: all, as the earlier ones are known to be replaced by then.
func (r *Roll) ListLeft() []string { return r.names }

// EmitTargets emits the load balancers, before anything is done with them.
func (r *Roll) EmitTargets(report provisioner.Report) {
	for _, target := range r.targets {
		emitTarget(report, target, provisioner.TargetWaiting, "waiting")
	}
}

func emitTarget(report provisioner.Report, t Target, reached, text string) {
	report(provisioner.Event{Type: provisioner.TypeTarget, Name: t.Machine.Name, Role: string(t.Machine.Role), State: reached, Text: text})
}

// Decide does nothing: nothing is asked.
func (r *Roll) Decide(string, provisioner.Reply) {}

// SetAttended does nothing: nothing is asked.
func (r *Roll) SetAttended(func() bool) {}

const op = "replace load balancers"

func refuse(format string, args ...any) *fault.Error {
	return fault.Newf(fault.Conflict, op, "nothing was changed: "+format, args...)
}

// HasBalancer reports whether the answers have a load balancer of that name.
func HasBalancer(spec state.Spec, name string) bool {
	return slices.ContainsFunc(spec.Machines(state.RoleLoadBalancer), func(m state.Machine) bool { return m.Name == name })
}

// Prepare finds the load balancers, and whether they can be replaced now. fault.Conflict: they cannot. It changes nothing.
func (r *Roll) Prepare(ctx context.Context, names []string) error {
	if err := r.Find(ctx, names); err != nil {
		return err
	}
	if slices.ContainsFunc(r.targets, Target.isGone) {
		return nil // it only becomes better
	}
	live, err := r.listLive(ctx)
	if err != nil {
		return err
	}
	if err := r.checkCluster(ctx, live); err != nil {
		return err
	}
	return r.checkPeers(ctx, live)
}

// Find finds the load balancers; whether the cluster can do without them now is for the steps to wait for. fault.Conflict: they are none, or
// there is no other. It changes nothing.
func (r *Roll) Find(ctx context.Context, names []string) error {
	r.names, r.targets = names, nil
	live, err := r.listLive(ctx)
	if err != nil {
		return err
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return refuse("%s is named twice", name)
		}
		target, err := r.buildTarget(name, live)
		if err != nil {
			return err
		}
		r.targets = append(r.targets, target)
	}
	stable.Sort(r.targets, func(a, b Target) int { return a.rank() - b.rank() })
	return r.checkOthers(live)
}

// rank puts those first that an earlier run has not ended with: until they serve, no other is touched.
func (t Target) rank() int {
	if t.isGone() || t.isMade() {
		return 0
	}
	return 1
}

func (r *Roll) buildTarget(name string, live map[string]state.Instance) (Target, error) {
	var target Target
	for _, machine := range r.spec.Machines(state.RoleLoadBalancer) {
		if machine.Name == name {
			target.Machine = machine
		} else {
			target.Peers = append(target.Peers, machine.Name)
		}
	}
	switch {
	case target.Machine.Name == "":
		return target, refuse("%s is no load balancer of the cluster %s; those are replaced by themselves", name, r.spec.Cluster.ID).
			WithHint("give nodes and load balancers in commands of their own: exoshift nodes list")
	case len(target.Peers) == 0:
		return target, refuse("%s is the only load balancer: nothing would serve meanwhile", name)
	}
	if instance, exists := live[name]; exists {
		target.Live = &instance
	}
	begun := r.facts.Get().FindBalancer(name)
	if begun != nil && slices.Equal(begun.Of, r.names) {
		target.Begun = begun
	}
	if target.isGone() && begun == nil {
		return target, refuse("the machine of %s is gone", name).WithHint("have it made again: exoshift install")
	}
	return target, nil
}

// checkOthers requires that the other load balancers are there, except for those that this roll makes again.
func (r *Roll) checkOthers(live map[string]state.Instance) error {
	for _, machine := range r.spec.Machines(state.RoleLoadBalancer) {
		named := slices.ContainsFunc(r.targets, func(t Target) bool { return t.Machine.Name == machine.Name })
		instance, exists := live[machine.Name]
		switch {
		case named:
		case exists && instance.State != "running":
			return refuse("the machine of %s is %s, and it would have to serve meanwhile", machine.Name, instance.State).
				WithHint("start it, or replace it first: exoshift nodes replace %s", machine.Name)
		case exists:
		case r.facts.Get().FindBalancer(machine.Name) != nil:
			return refuse("the replacement of %s has not ended", machine.Name).WithHint("end it first: exoshift nodes replace %s", machine.Name)
		default:
			return refuse("the machine of %s is gone, and it would have to serve meanwhile", machine.Name).WithHint("have it made again: exoshift install")
		}
	}
	return nil
}
