package nodes

import (
	"context"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
)

// configuration is that of the tenant, whose node counts follow the answers.
type configuration struct{ *Removal }

// after returns the step that comes once the nodes are gone: whoever has the cluster's machines by that configuration takes those of the
// highest names away. There is none where Ceph has needed it before.
func (c configuration) after(needs []string) provisioner.Plan {
	if c.options.Configure == nil || slices.ContainsFunc(c.targets, Target.hasCeph) {
		return nil
	}
	return provisioner.Plan{{
		ID: "configuration", Title: "Set the node counts in the configuration of the tenant", Phase: Phase, Needs: needs, Usual: 3 * time.Minute,
		Do: func(ctx context.Context, report provisioner.Report) error {
			err := c.options.Configure(ctx, report, c.After())
			if err != nil && !provisioner.IsSkip(err) {
				return fault.New(fault.KindOf(err), "set the node counts in the configuration of the tenant", err).
					WithHint("the nodes are removed; exoshift install sets the node counts in the configuration, too")
			}
			return err
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
