// Package recovery gives etcd its quorum back from one member that remains, or from a backup, by the scripts that OpenShift has on its masters:
// without a quorum there is no API, so that what decides is asked for by SSH.
package recovery

import (
	"context"
	"errors"
	"net/netip"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/provisioner/nodes/masters"
	"exoshift/state"
	"exoshift/state/recovery"
)

// Cloud has the machines of the cluster and their security groups.
type Cloud interface {
	masters.Cloud
	// EnsureSecurityGroup adds the rules that a group does not have.
	EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (id string, action state.Action, err error)
	// DeleteRules deletes those rules of a group that are useless.
	DeleteRules(ctx context.Context, group string, useless func(state.Rule) bool) (state.Action, error)
}

// Hosts are the masters themselves, by SSH. Nobody else uses them at the same time.
type Hosts interface {
	Restorer
	// Inspect reads how the member of etcd on a master is: into host, whose name and address are set.
	Inspect(ctx context.Context, host recovery.Host) (recovery.Host, error)
	// DisableEtcd stops the member on a master. Again it does nothing.
	DisableEtcd(ctx context.Context, host recovery.Host) error
	// RestoreQuorum makes a cluster of the member on a master alone.
	RestoreQuorum(ctx context.Context, host recovery.Host) error
}

// Balancers know from where somebody asks them.
type Balancers interface {
	// DiscoverAddress returns the source address of this workstation as the load balancer at that address sees it.
	DiscoverAddress(ctx context.Context, balancer string) (netip.Addr, error)
}

// Cluster is the cluster once its API answers again.
type Cluster interface {
	masters.Cluster
	// IsUnsafeAllowed reports whether etcd's operator may roll out with fewer members than are safe.
	IsUnsafeAllowed(ctx context.Context) (bool, error)
	// AllowUnsafe has it do so, or ends that: state.Found if it is so already.
	AllowUnsafe(ctx context.Context, allowed bool) (state.Action, error)
}

// Clients are what etcd is recovered with.
type Clients struct {
	Cloud     Cloud
	Cluster   Cluster
	Hosts     Hosts
	Balancers Balancers
	Clock     provisioner.Clock
}

// Options are what a person decides, and what carries out the rest.
type Options struct {
	masters.Options
	From   string  // the master whose member remains, or on which the backup is restored
	Backup *Backup // nil: the data of the member stays
}

// Recovery gives etcd its quorum back.
type Recovery struct {
	spec    state.Spec
	facts   *state.FactsStore
	clients Clients
	options Options
	hosts   []recovery.Host // as they were asked last
	lost    *masters.Change // of the other masters
	opened  bool            // by this run
}

// New is for the cluster of these answers.
func New(spec state.Spec, facts *state.FactsStore, clients Clients, options Options) *Recovery {
	r := &Recovery{spec: spec, facts: facts, clients: clients, options: options}
	r.lost = masters.NewLostChange(spec, facts, masters.Clients{Cloud: clients.Cloud, Cluster: clients.Cluster, Clock: clients.Clock}, options.Options, r.listOthers())
	return r
}

const op = "recover etcd"

func refuse(format string, args ...any) *fault.Error {
	return fault.Newf(fault.Conflict, op, "nothing was changed: "+format, args...)
}

// listOthers lists the masters but the one from which etcd is recovered.
func (r *Recovery) listOthers() []string {
	var names []string
	for _, machine := range r.spec.Machines(state.RoleMaster) {
		if machine.Name != r.options.From {
			names = append(names, machine.Name)
		}
	}
	return names
}

// change returns what is recorded of a recovery that was begun; the zero value: none was.
func (r *Recovery) change() recovery.Change {
	if known := r.facts.Get().Recovery; known != nil {
		return *known
	}
	return recovery.Change{}
}

func (r *Recovery) update(do func(*recovery.Change)) error {
	changed := r.change()
	do(&changed)
	return r.facts.Update(func(facts *state.Facts) { facts.Recovery = &changed })
}

// begin records from which master etcd is recovered, and from what.
func (r *Recovery) begin(c *recovery.Change) {
	if c.From != r.options.From || c.Backup != r.options.backupName() {
		c.Restoring = false // that was from something else, which has not become a cluster
	}
	if c.From, c.Backup = r.options.From, r.options.backupName(); c.Started.IsZero() {
		c.Started = r.clients.Clock.Now()
	}
}

// isRestoring reports whether the script was started that makes a cluster of what is wanted.
func (r *Recovery) isRestoring() bool {
	known := r.change()
	return known.Restoring && known.From == r.options.From && known.Backup == r.options.backupName()
}

// find returns a master as it was asked last.
func (r *Recovery) find(name string) recovery.Host {
	if at := slices.IndexFunc(r.hosts, func(h recovery.Host) bool { return h.Name == name }); at >= 0 {
		return r.hosts[at]
	}
	return recovery.Host{Name: name, Failure: "it was not asked"}
}

// IsBegun reports whether a recovery was begun that has not ended.
func (r *Recovery) IsBegun() bool { return r.facts.Get().Recovery != nil }

// Undo ends the cordons of masters that were not stopped yet, and returns their names. It also ends what etcd's operator was allowed, which the
// next run allows again.
func (r *Recovery) Undo(ctx context.Context) (freed []string, err error) {
	if r.change().Unsafe {
		if _, err = r.clients.Cluster.AllowUnsafe(ctx, false); err == nil {
			err = r.update(func(c *recovery.Change) { c.Unsafe = false })
		}
	}
	freed, failure := nodes.Undo(ctx, r.facts, r.clients.Cluster, nil)
	return freed, errors.Join(err, failure)
}

// Plan returns the steps, each after the one before it.
func (r *Recovery) Plan() provisioner.Plan {
	return steps{r}.list()
}
