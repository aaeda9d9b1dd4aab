package masters

import (
	"context"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// machine returns the machine of a master, which has to be there.
func (c steps) machine(ctx context.Context, name string) (state.Instance, error) {
	node, err := c.find(ctx, name)
	if err == nil && node.Machine == nil {
		err = fault.Newf(fault.NotFound, "find the machine of "+name, "it is gone").WithHint("replace the master: exoshift nodes replace %s", name)
	}
	if err != nil {
		return state.Instance{}, err
	}
	return *node.Machine, nil
}

func (c steps) scale(ctx context.Context, report provisioner.Report, name string) error {
	wanted := c.spec.Group(state.RoleMaster).Type
	machine, err := c.machine(ctx, name)
	switch {
	case err != nil:
		return err
	case machine.Type == wanted:
		return provisioner.Skip("it has that type")
	}
	action, err := c.clients.Cloud.ScaleInstance(ctx, machine.ID, wanted)
	if err == nil {
		report.EmitObject(state.KindInstance, name, machine.ID, string(action))
	}
	return err
}

// start also waits until the node is ready.
func (c steps) start(ctx context.Context, report provisioner.Report, name string) error {
	return c.repeat(ctx, report, machineLimit, func(ctx context.Context, report provisioner.Report) error {
		machine, err := c.machine(ctx, name)
		if err != nil {
			return err
		}
		action, err := c.clients.Cloud.StartInstance(ctx, machine.ID)
		if err != nil {
			return err
		}
		if action == state.Updated {
			report.EmitObject(state.KindInstance, name, machine.ID, string(action))
		}
		node, err := c.find(ctx, name)
		if err == nil && (node.Node == nil || !node.Node.Ready) {
			err = fault.Newf(fault.Transient, "start "+name, "it is not ready yet")
		}
		return err
	})
}
