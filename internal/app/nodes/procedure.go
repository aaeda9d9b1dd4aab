package nodes

import (
	"context"

	"exoshift/provisioner"
)

// procedure is what a verb does with nodes, masters or load balancers, from its plan to its end.
type procedure struct {
	verb string
	work work
	// prepare returns the plan, and changes nothing. Refusals for the sake of the cluster have their exit code.
	prepare func(ctx context.Context, wanted Removal) (Plan, error)
	// undo undoes what earlier runs, or this one, have begun with all but those to keep, and returns what it did.
	undo func(ctx context.Context, keep []string) ([]provisioner.Event, error)
}

// carryOut shows the plan, asks, waits for the window, and executes the plan.
func (p procedure) carryOut(ctx context.Context, c Cluster, wanted Removal, shown Display) error {
	start, err := wanted.Window.start(c.Spec, c.Now())
	if err != nil {
		return err
	}
	immediate := wanted
	immediate.Window = Window{}
	plan, err := p.prepare(ctx, immediate)
	if err != nil {
		return err
	}
	plan.Start = start
	if err := shown.ShowPlan(plan); err != nil || wanted.DryRun {
		return err
	}
	if err := shown.Confirm(ctx); err != nil {
		return err
	}
	if !start.IsZero() {
		if err := waitStart(ctx, c.Net.Clock, start, shown); err != nil {
			return err
		}
		if plan, err = p.prepare(ctx, wanted); err != nil {
			return err
		}
	}
	undone, err := p.undo(ctx, wanted.Names)
	for _, event := range undone {
		shown.Warn(event.Name + ": " + event.Text)
	}
	if err != nil {
		return err
	}
	return c.execute(ctx, wanted, execution{
		verb: p.verb, plan: plan, work: p.work,
		undo: func(ctx context.Context) ([]provisioner.Event, error) { return p.undo(ctx, nil) },
	}, shown)
}
