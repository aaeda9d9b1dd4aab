package nodes

import (
	"context"

	"exoshift/provisioner"
	"exoshift/state"
)

// Drainer drains nodes that stay in the answers, by the rules of a removal.
type Drainer struct{ *Removal }

// NewDrainer is for nodes of the cluster of these answers.
func NewDrainer(spec state.Spec, facts *state.FactsStore, clients Clients, options Options) Drainer {
	return Drainer{NewRemoval(spec, facts, clients, options)}
}

// Review returns a node with what has to leave it, or why it must not be drained.
func (d Drainer) Review(ctx context.Context, node Node) (Target, error) {
	target := Target{Node: node}
	err := review{Removal: d.Removal}.reviewPods(ctx, &target)
	return target, err
}

// Drain evicts the pods of a node, and waits until no volume is attached to it.
func (d Drainer) Drain(ctx context.Context, report provisioner.Report, node Node) error {
	if err := d.routers.read(ctx); err != nil {
		return err
	}
	if err := d.drain(ctx, report, Target{Node: node}); err != nil {
		return err
	}
	return d.waitDetached(ctx, report, Target{Node: node})
}
