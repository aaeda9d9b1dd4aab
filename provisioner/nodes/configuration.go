package nodes

import (
	"context"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// configuration is that of the tenant, whose node counts follow the answers.
type configuration struct{ *Removal }

// isLast reports whether the nodes are gone before it is changed: whoever has the cluster's machines by that configuration takes those of
// the highest names away. Ceph needs it before.
func (c configuration) isLast() bool {
	return c.options.Configure != nil && !slices.ContainsFunc(c.targets, Target.hasCeph)
}

// after returns the step that comes once the nodes are gone, and ends their removals.
func (c configuration) after(needs []string) provisioner.Plan {
	if !c.isLast() {
		return nil
	}
	return provisioner.Plan{{
		ID: "configuration", Title: "Set the node counts in the configuration of the tenant", Phase: Phase, Needs: needs, Usual: 3 * time.Minute,
		Do: func(ctx context.Context, report provisioner.Report) error {
			if err := c.options.Configure(ctx, report, c.After()); err != nil {
				return fault.New(fault.KindOf(err), "set the node counts in the configuration of the tenant", err).
					WithHint("the nodes are gone; run the same command again to set the node counts, too")
			}
			c.mu.Lock()
			c.configured = true
			c.mu.Unlock()
			return c.facts.Update(func(facts *state.Facts) {
				for _, target := range c.targets {
					facts.DropRemoval(target.Name)
				}
			})
		},
	}}
}

// before returns what changes it before the OSDs of a storage node leave; nil: nothing does, or another node takes its place.
func (c configuration) before(t Target) provisioner.StepFunc {
	if c.options.Configure == nil || t.Replacement != nil {
		return nil
	}
	return func(ctx context.Context, report provisioner.Report) error {
		return c.options.Configure(ctx, report, c.After())
	}
}
