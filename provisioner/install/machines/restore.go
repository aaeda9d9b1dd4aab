package machines

import (
	"context"
	"fmt"
	"slices"

	"exoshift/provisioner"
	"exoshift/state"
)

// ListDetached returns the attachments of elastic IPs that are missing, a sentence each.
func (m *Machines) ListDetached(ctx context.Context) ([]string, error) {
	if m.Spec.IsRoundRobin() {
		return nil, nil
	}
	var missing []string
	for _, machine := range m.Spec.Machines(state.RoleLoadBalancer) {
		instance, started := m.Find(machine.Name)
		if !started {
			continue
		}
		attached, err := m.Cloud.ListAttached(ctx, instance.ID)
		if err != nil {
			return nil, err
		}
		for _, ip := range []state.ElasticIP{m.ElasticIPs.API(), m.ElasticIPs.Ingress()} {
			if !slices.Contains(attached, ip.ID) {
				missing = append(missing, fmt.Sprintf("elastic IP %s, %s, is not attached to %s", ip.Name, ip.Address, machine.Name))
			}
		}
	}
	return missing, nil
}

// RestoreAttachments attaches the elastic IPs to the load balancers again.
func (m *Machines) RestoreAttachments(ctx context.Context, report provisioner.Report) error {
	for _, machine := range m.Spec.Machines(state.RoleLoadBalancer) {
		if err := m.attachElasticIPs(ctx, report, machine); err != nil {
			return err
		}
	}
	return nil
}

// RestoreRecords creates the records of all machines again that have addresses; that of the bootstrap machine only while it is
// needed.
func (m *Machines) RestoreRecords(ctx context.Context, report provisioner.Report, isBootstrapped bool) error {
	machines := slices.Concat(m.Spec.Machines(state.RoleLoadBalancer), m.Spec.Nodes())
	if !isBootstrapped {
		machines = append(machines, m.Spec.Machines(state.RoleBootstrap)...)
	}
	machines = slices.DeleteFunc(machines, func(machine state.Machine) bool {
		instance, started := m.Find(machine.Name)
		return !started || instance.Address == ""
	})
	return m.DNS.Publish(ctx, report, machines, m.findAddress)
}

// StartStopped starts the machines of these names that are stopped, also those that this run has not started.
func (m *Machines) StartStopped(ctx context.Context, report provisioner.Report, names []string) error {
	machines, err := m.Cloud.ListInstances(ctx, m.Spec.Labels())
	if err != nil {
		return err
	}
	return provisioner.ForEach(ctx, machines, func(ctx context.Context, machine state.Instance) error {
		if !slices.Contains(names, machine.Name) {
			return nil
		}
		action, err := m.Cloud.StartInstance(ctx, machine.ID)
		if err == nil {
			report.EmitObject(state.KindInstance, machine.Name, machine.ID, string(action))
		}
		return err
	})
}
