package nodes

import (
	"context"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes/ceph"
	"exoshift/state"
	"exoshift/state/rook"
)

// StorageAddition adds a storage node whose disk Ceph is to use.
type StorageAddition struct {
	spec     state.Spec // with the node
	change   ceph.Change
	facts    *state.FactsStore
	options  Options
	storage  *ceph.Work
	warnings []string
}

// NewStorageAddition is for the addition of a storage node that these answers have. Of the options, it needs Journal, Commit
// and Add, which changes the configuration of the tenant if there is Configure.
func NewStorageAddition(spec state.Spec, node string, facts *state.FactsStore, clients Clients, options Options) *StorageAddition {
	observer := newObserver(spec, clients.Clock)
	storage := ceph.New(clients.Cluster, facts, options.Journal, clients.Clock, func(report provisioner.Report, node string, checks []string) {
		observer.observe(report, node, obstacles{ceph: checks})
	})
	change := ceph.Change{Node: node, Devices: len(spec.Machines(state.RoleStorage)), IsConfigured: options.Configure != nil}
	return &StorageAddition{spec: spec, change: change, facts: facts, options: options, storage: storage}
}

// IsBegun reports whether an earlier run has put answers in force that have the node.
func (a *StorageAddition) IsBegun() bool {
	known := a.facts.Get().Storage
	return known != nil && known.Added && known.Node == a.change.Node
}

// Prepare finds out whether Ceph is as it has to be. fault.Conflict: it is not. It changes nothing.
func (a *StorageAddition) Prepare(ctx context.Context) error {
	found, err := a.storage.ReviewAddition(ctx, a.change)
	if err != nil {
		return err
	}
	a.warnings = found.Warnings
	const op = "add nodes"
	switch {
	case len(found.Refusals) == 0:
		return nil
	case found.Busy:
		return fault.New(fault.Conflict, op, unwellError{prependAll("Ceph: ", found.Refusals)}).
			WithHint("mend that first, or wait until it is over; then run the same command again")
	}
	return fault.Newf(fault.Conflict, op, "nothing was changed: %s is a storage node: %w", a.change.Node, fault.Reasons(found.Refusals))
}

// Warnings returns what Ceph reports that does not matter for the addition, once Prepare has returned.
func (a *StorageAddition) Warnings() []string { return a.warnings }

// Plan returns the steps, one after the other.
func (a *StorageAddition) Plan() provisioner.Plan {
	var needs []string
	steps := a.storage.StepsToAdd(a.change, a.add)
	for i := range steps {
		steps[i].ID, steps[i].Phase, steps[i].Needs = steps[i].ID+"-"+a.change.Node, Phase, needs
		needs = []string{steps[i].ID}
	}
	return steps
}

// add puts the answers in force that have the node: from then on, the addition can only be ended. Its name follows from the count.
func (a *StorageAddition) add(ctx context.Context, report provisioner.Report) error {
	err := a.options.Commit(a.spec, func(facts *state.Facts) {
		known := rook.Change{Node: a.change.Node}
		if facts.Storage != nil {
			known = facts.Storage.Clone()
		}
		known.Added = true
		facts.Storage = &known
	})
	if err != nil {
		return err
	}
	return a.options.Add(ctx, report, a.spec)
}

// Undo switches back what the addition has switched.
func (a *StorageAddition) Undo(ctx context.Context) ([]string, error) {
	return a.storage.Restore(ctx, func(string) bool { return false })
}

// RestoreStorage switches back what the change of a storage node has left switched. The record of it ends with that, unless the node is on its way
// out or in still.
func RestoreStorage(ctx context.Context, facts *state.FactsStore, clients Clients, journal state.Recorder) ([]string, error) {
	return ceph.New(clients.Cluster, facts, journal, clients.Clock, nil).Restore(ctx, func(node string) bool { return facts.Get().FindRemoval(node) != nil })
}
