package install

import (
	"context"
	"maps"
	"slices"

	"exoshift/provisioner"
	"exoshift/provisioner/balancers"
	"exoshift/provisioner/install/machines"
	"exoshift/state"
)

// balancerRoll replaces the load balancers of a running cluster whose configuration does not suit the answers, one after the other.
type balancerRoll struct {
	spec     state.Spec
	facts    *state.FactsStore
	machines *machines.Machines
	clients  *balancers.Clients // nil: none is replaced
}

// ensure starts the load balancers, and replaces those.
func (b balancerRoll) ensure(ctx context.Context, report provisioner.Report) error {
	if err := b.machines.EnsureLoadBalancers(ctx, report); err != nil {
		return err
	}
	outdated, err := b.listOutdated()
	if err != nil || len(outdated) == 0 {
		return err
	}
	names := slices.Sorted(maps.Keys(outdated))
	for _, name := range names {
		report.EmitProgress(name + ": " + outdated[name])
	}
	roll := balancers.New(b.spec, b.facts, *b.clients, b.machines.EnsureLoadBalancers)
	if err := roll.Find(ctx, names); err != nil {
		return err
	}
	return roll.Run(ctx, report)
}

// listOutdated returns why load balancers have to be replaced, by name.
func (b balancerRoll) listOutdated() (map[string]string, error) {
	if b.clients == nil || !b.facts.Get().IsBootstrapped() || b.spec.IsRoundRobin() {
		return nil, nil
	}
	return b.machines.ListOutdated()
}

// preview marks the load balancers that would be replaced.
func (b balancerRoll) preview(changes []Change) error {
	outdated, err := b.listOutdated()
	for n, change := range changes {
		if reason := outdated[change.Name]; reason != "" && change.Kind == state.KindInstance && change.Action == state.Found {
			changes[n].Action = state.Updated
			changes[n].Details += ", replaced: " + reason
		}
	}
	return err
}
