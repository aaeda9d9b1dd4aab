package ceph

import (
	"context"
	"fmt"
	"time"

	"exoshift/provisioner"
	"exoshift/state/rook"
)

// ReviewAddition finds what keeps a storage node from being added. It changes nothing.
func (w *Work) ReviewAddition(ctx context.Context, of Change) (Finding, error) {
	setup, seen, found, err := w.inspect(ctx, of)
	if err != nil || len(found.Refusals) > 0 {
		return found, err
	}
	found = reviewHealth(seen, w.isBegun(of))
	lasting := w.reviewOperator(of, setup)
	policies, err := w.cluster.GetSyncPolicies(ctx, listApplications()...)
	if _, managed := policies[applicationRook]; managed && setup.Devices < of.Devices && !of.IsConfigured {
		lasting = append(lasting, fmt.Sprintf("the configuration of the tenant wants %d disks: raise parameters.rook_ceph.ceph_cluster.node_count to %d, and wait until Argo CD has synchronized it",
			setup.Devices, of.Devices))
	}
	if len(lasting) > 0 {
		found.Refusals, found.Busy = append(found.Refusals, lasting...), false
	}
	return found, err
}

// StepsToAdd returns the steps of a node that is added: add makes its machine, and waits until it is a node. Argo CD is left on: nothing is
// changed that it looks after.
func (w *Work) StepsToAdd(of Change, add provisioner.StepFunc) []provisioner.Step {
	do := w.bind(of)
	return []provisioner.Step{
		{ID: "ceph-check", Title: "Check that Ceph is well", Usual: 10 * time.Second, Do: do(w.waits.waitHealthy)},
		{ID: "silence", Title: "Silence the alerts of Ceph", Usual: 5 * time.Second, Do: do(w.silence)},
		{ID: "add", Title: "Add " + of.Node, Usual: 8 * time.Minute, Do: func(ctx context.Context, report provisioner.Report) error {
			return w.silenceDuring(ctx, of.Node, func() error { return add(ctx, report) })
		}},
		{ID: "osd", Title: "Have Ceph use the disk of " + of.Node, Usual: 30 * time.Minute, Do: do(w.disks.join)},
		{ID: "restore", Title: "Switch everything back", Usual: time.Minute, Do: do(w.finish)},
	}
}

// join has Ceph use the disk of a new node, and waits until the node has its part of the data. Where Argo CD looks after Ceph, it raises the
// count of disks by itself.
func (w disks) join(ctx context.Context, report provisioner.Report, of Change) error {
	setup, err := w.cluster.GetCephSetup(ctx)
	if err != nil {
		return err
	}
	policies, err := w.cluster.GetSyncPolicies(ctx, applicationRook)
	if err != nil {
		return err
	}
	if _, managed := policies[applicationRook]; managed {
		if err := w.waitDevices(ctx, report, of, "raised", func(devices int) bool { return devices >= of.Devices }); err != nil {
			return err
		}
	} else if setup.Devices < of.Devices {
		err := w.set(ctx, of.Node, "devices", func(c *rook.Change) { c.Devices = setup.Devices }, func(ctx context.Context) error {
			return w.cluster.SetCephDevices(ctx, of.Devices)
		})
		if err != nil {
			return err
		}
		report.EmitProgress(fmt.Sprintf("Ceph is to use %d disks, and used %d", of.Devices, setup.Devices))
	}
	if err := w.waitOSD(ctx, report, of.Node, of.Node); err != nil {
		return err
	}
	return w.waitClean(ctx, report, of, func(context.Context, rook.Ceph) error { return nil })
}
