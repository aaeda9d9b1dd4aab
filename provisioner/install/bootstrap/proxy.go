package bootstrap

import (
	"context"
	"slices"

	"exoshift/ignition"
	"exoshift/state"
)

// Behind a proxy, the nodes' own addresses belong to those that are reached without it: the API server would ask the proxy for the
// kubelets. They are known once the machines exist, so the nodes are created first and wait for their configuration, whose
// first version leaves the proxy out for them. Told later, every node would restart for it.

// RecordNodesFirst records that nodes are about to be created before the bootstrap machine was ever: until that changes, masters
// without a bootstrap machine prove nothing.
func (m *Machine) RecordNodesFirst(ctx context.Context) error {
	if !m.Spec.HasProxy() || m.IsPreview || m.Facts.Get().NodesFirst || m.Facts.Get().IsBootstrapped() {
		return nil
	}
	started, err := m.Cloud.ListInstances(ctx, m.Spec.Labels())
	if err != nil || slices.ContainsFunc(started, func(i state.Instance) bool {
		role := state.Role(i.Labels[state.LabelRole])
		return role == state.RoleMaster || role == state.RoleBootstrap
	}) {
		return err
	}
	return m.Facts.Update(func(facts *state.Facts) { facts.NodesFirst = true })
}

// From here on masters without a bootstrap machine have had one.
func (m *Machine) recordStart() error {
	if m.IsPreview || !m.Facts.Get().NodesFirst {
		return nil
	}
	return m.Facts.Update(func(facts *state.Facts) { facts.NodesFirst = false })
}

// A bootstrap machine that exists has a pointer to one document, with the addresses that were recorded then.
func (m *Machine) exceptFromProxy(ctx context.Context) error {
	if !m.Spec.HasProxy() {
		return nil
	}
	machines, err := m.listInstances(ctx)
	if err != nil {
		return err
	}
	addresses := m.Facts.Get().NodeAddresses
	if len(machines) == 0 {
		addresses = m.listNodeAddresses()
		if err := m.Facts.Update(func(facts *state.Facts) { facts.NodeAddresses = addresses }); err != nil {
			return err
		}
	}
	if len(addresses) == 0 {
		return nil
	}
	m.document, err = ignition.WithNoProxy(m.document, addresses)
	return err
}

func (m *Machine) listNodeAddresses() []string {
	var addresses []string
	for _, node := range m.Spec.Nodes() {
		if instance, started := m.Machines.Find(node.Name); started && instance.Address != "" {
			addresses = append(addresses, instance.Address)
		}
	}
	return addresses
}
