package machines

import (
	"context"
	"slices"

	"exoshift/provisioner"
	"exoshift/state"
)

// Interfaces are those of the nodes on the private network.
type Interfaces struct{ *Machines }

// Attach gives every node but the masters an interface on the private network, if there is one: members of pools, too, as those
// that a pool made before it had the network have none.
func (m Interfaces) Attach(ctx context.Context, report provisioner.Report) error {
	if !m.PrivateNetwork.IsWanted() {
		return nil
	}
	there, err := m.Cloud.ListInstances(ctx, m.Spec.Labels())
	if err != nil {
		return err
	}
	network := m.PrivateNetwork.Get()
	lacking := slices.DeleteFunc(m.Spec.ComputeNodes(), func(machine state.Machine) bool {
		at := slices.IndexFunc(there, func(instance state.Instance) bool { return instance.Name == machine.Name })
		return at >= 0 && network.ID != "" && slices.Contains(there[at].PrivateNetworks, network.ID)
	})
	return provisioner.ForEach(ctx, lacking, func(ctx context.Context, machine state.Machine) error {
		instance, known := m.Find(machine.Name)
		if !known {
			return nil // a member that its pool has yet to make, in a preview
		}
		action, err := m.Cloud.EnsureInNetwork(ctx, network, instance)
		if err != nil {
			return err
		}
		report.EmitObject("private-network-interface", network.Name+" on "+machine.Name, "", string(action))
		return nil
	})
}
