package masters

import (
	"context"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/controlplane"
)

func (c steps) deleteNode(ctx context.Context, report provisioner.Report, name string) error {
	node, err := c.find(ctx, name)
	switch {
	case err != nil:
		return err
	case node.Node == nil:
		return provisioner.Skip("there is no such node in the cluster")
	case isNew(node.Machine, c.record(name)):
		return provisioner.Skip("it is that of the new machine")
	}
	action, err := c.clients.Cluster.DeleteNode(ctx, name)
	if err == nil {
		report.EmitObject(nodes.KindNode, name, "", string(action))
	}
	return err
}

// removeMember removes the member of the former machine: no operator does without the Machine API, and none adds another one before. All others
// have to be healthy, and the member must not run any more.
func (c steps) removeMember(ctx context.Context, report provisioner.Report, name string) error {
	const op, kind = "remove the member of etcd", "etcd-member"
	record := c.record(name)
	var former *controlplane.Peer
	err := c.repeat(ctx, report, healthLimit, func(ctx context.Context, _ provisioner.Report) error {
		seen, err := c.inspect(ctx, name)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(seen.plane.Peers, func(p controlplane.Peer) bool { return p.ID == record.MemberID })
		if at < 0 {
			return provisioner.Skip("etcd does not list it")
		}
		former = &seen.plane.Peers[at]
		switch {
		case former.Name != name || former.Address != record.Address:
			return fault.Newf(fault.Conflict, op, "the member %s is now that of %s at %s, not of %s at %s", record.MemberID, former.Name, former.Address, name, record.Address)
		case former.Healthy:
			return fault.Newf(fault.Transient, op, "it still answers, though the machine of %s is stopped", name)
		}
		return pending(op, seen.checkOthers())
	})
	if err != nil {
		return err
	}
	return c.repeat(ctx, report, healthLimit, func(ctx context.Context, report provisioner.Report) error {
		if err := c.options.Journal.RecordIntent(kind, name); err != nil {
			return err
		}
		action, err := c.clients.Cluster.RemoveMember(ctx, *former)
		if err != nil {
			return err
		}
		report.EmitObject(kind, name, former.ID, string(action))
		return c.options.Journal.RecordResult(kind, name, former.ID, action)
	})
}

// deleteSecrets has the operator issue certificates for the address of the new machine. It leaves those of a member alone that has joined.
func (c steps) deleteSecrets(ctx context.Context, report provisioner.Report, name string) error {
	node, err := c.find(ctx, name)
	if err != nil {
		return err
	}
	seen, err := c.inspect(ctx, name)
	if err != nil {
		return err
	}
	if peer := seen.plane.FindPeer(name); peer != nil && isNew(node.Machine, c.record(name)) {
		return provisioner.Skip("they are those of the new member")
	}
	deleted, err := c.clients.Cluster.DeleteMemberSecrets(ctx, name)
	for _, secret := range deleted {
		report.EmitObject("secret", secret, "", string(state.Deleted))
	}
	return err
}

// deleteMachine requires that etcd does not list the member of the machine any more.
func (c steps) deleteMachine(ctx context.Context, report provisioner.Report, name string) error {
	record := c.record(name)
	return c.repeat(ctx, report, machineLimit, func(ctx context.Context, report provisioner.Report) error {
		node, err := c.find(ctx, name)
		switch {
		case err != nil:
			return err
		case node.Machine == nil, isNew(node.Machine, record):
			return provisioner.Skip("it is gone")
		}
		seen, err := c.inspect(ctx, name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(seen.plane.Peers, func(p controlplane.Peer) bool { return p.ID == record.MemberID || p.Name == name }) {
			return fault.Newf(fault.Conflict, "delete the machine of "+name, "etcd still lists its member")
		}
		action, err := c.clients.Cloud.DeleteInstance(ctx, node.Machine.ID)
		if err == nil {
			report.EmitObject(state.KindInstance, name, node.Machine.ID, string(action))
		}
		return err
	})
}

// add makes the machine as an installation does: with its records and its certificates, until it is a node with a member of etcd.
func (c steps) add(ctx context.Context, report provisioner.Report, name string) error {
	c.emitTarget(report, name, provisioner.TargetAdding, "its new machine is made")
	if seen, err := c.inspect(ctx, name); err != nil || len(seen.lost) == 0 {
		return c.options.Add(ctx, report, c.spec)
	}
	return lostMaster{c, name}.addUntilVoting(ctx, report)
}
