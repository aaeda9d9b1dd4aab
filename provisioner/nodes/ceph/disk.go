package ceph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state/rook"
)

// disks are the OSDs of storage nodes: they come, give their data away, and go.
type disks struct{ waits }

// grow has Ceph use one disk more, and waits until the new node has its part of the data.
func (w disks) grow(ctx context.Context, report provisioner.Report, of Change) error {
	if known := w.get(of.Node); known.Emptied || of.IsCommitted {
		return provisioner.Skip("the OSDs of " + of.Node + " are being removed already")
	}
	setup, err := w.cluster.GetCephSetup(ctx)
	if err != nil {
		return err
	}
	wanted := w.get(of.Node).Devices
	if wanted == 0 {
		wanted = setup.Devices
	}
	err = w.set(ctx, of.Node, "devices", func(c *rook.Change) { c.Devices = wanted }, func(ctx context.Context) error { return w.cluster.SetCephDevices(ctx, wanted+1) })
	if err != nil {
		return err
	}
	if err := w.waitOSD(ctx, report, of.Node, of.Next); err != nil {
		return err
	}
	return w.waitClean(ctx, report, of, func(context.Context, rook.Ceph) error { return nil })
}

// empty moves the data of the node's OSDs elsewhere. An OSD that is down has nothing to move: what it had is made again by the others.
func (w disks) empty(ctx context.Context, report provisioner.Report, of Change) error {
	if of.IsCommitted {
		return provisioner.Skip(of.Node + " has no OSDs")
	}
	seen, err := w.cluster.GetCeph(ctx)
	if err != nil {
		return err
	}
	used := slices.DeleteFunc(seen.OSDs, func(o rook.OSD) bool { return o.Host != of.Node || o.Weight == 0 })
	if known := w.get(of.Node); known.Emptied && len(used) == 0 {
		return provisioner.Skip("nothing needs the OSDs of " + of.Node + " any more")
	}
	disks, err := w.findDisks(ctx, of.Node)
	if err != nil {
		return err
	}
	if err := w.setOptions(ctx, of); err != nil {
		return err
	}
	for _, osd := range used {
		if err := w.reweight(ctx, of.Node, osd); err != nil {
			return err
		}
		report.EmitProgress(fmt.Sprintf("osd.%d gives its data to others", osd.ID))
	}
	if err := w.waitClean(ctx, report, of, func(ctx context.Context, _ rook.Ceph) error { return w.checkUnneeded(ctx, disks) }); err != nil {
		return err
	}
	if err := w.restoreOptions(ctx, of.Node); err != nil {
		return err
	}
	return w.record(of.Node, func(c *rook.Change) { c.Emptied, c.Weights = true, nil })
}

// findDisks also records them: what belongs to an OSD is not known by it any more once that is deleted.
func (w disks) findDisks(ctx context.Context, node string) ([]rook.Disk, error) {
	disks, err := w.cluster.ListCephDisks(ctx, node)
	if err != nil {
		return nil, err
	}
	return disks, w.record(node, func(c *rook.Change) {
		c.Emptied = false
		for _, disk := range disks {
			c.Disks = append(slices.DeleteFunc(c.Disks, func(d rook.Disk) bool { return d.Claim == disk.Claim }), disk)
		}
	})
}

// reweight has an OSD give its data away.
func (w disks) reweight(ctx context.Context, node string, osd rook.OSD) error {
	name := "osd." + strconv.Itoa(osd.ID)
	return w.set(ctx, node, name, func(c *rook.Change) {
		if c.Weights == nil {
			c.Weights = map[int]float64{}
		}
		c.Weights[osd.ID] = osd.Weight
	}, func(ctx context.Context) error { return w.cluster.RunCeph(ctx, "osd", "crush", "reweight", name, "0") })
}

// purge takes the OSDs out of Ceph. Ceph itself refuses that for an OSD that runs, or that data needs.
func (w disks) purge(ctx context.Context, report provisioner.Report, of Change) error {
	known := w.get(of.Node)
	if of.IsCommitted || len(known.Disks) == 0 {
		return provisioner.Skip(of.Node + " has no OSDs")
	}
	seen, err := w.cluster.GetCeph(ctx)
	if err != nil {
		return err
	}
	for _, disk := range known.Disks {
		if !slices.ContainsFunc(seen.OSDs, func(o rook.OSD) bool { return o.ID == disk.OSD && o.Host == of.Node }) {
			continue // another one may have its number by now
		}
		if err := w.checkUnneeded(ctx, []rook.Disk{disk}); err != nil {
			return fault.New(fault.Conflict, fmt.Sprintf("purge osd.%d", disk.OSD), err).WithHint("run the same command again")
		}
		if err := w.purgeOSD(ctx, report, disk.OSD); err != nil {
			return err
		}
	}
	return w.do(ctx, "host "+of.Node, func(ctx context.Context) error {
		err := w.cluster.RunCeph(ctx, "osd", "crush", "remove", of.Node)
		if fault.Is(err, fault.Conflict) && strings.Contains(err.Error(), "ENOENT") {
			return nil
		}
		return err
	})
}

func (w disks) purgeOSD(ctx context.Context, report provisioner.Report, osd int) error {
	id := strconv.Itoa(osd)
	for _, part := range []func(context.Context) error{
		func(ctx context.Context) error { return w.cluster.RunCeph(ctx, "osd", "out", id) },
		func(ctx context.Context) error { return w.cluster.StopOSD(ctx, osd) },
	} {
		if err := w.do(ctx, "osd."+id, part); err != nil {
			return err
		}
	}
	if err := w.until(settleLimit, func(ctx context.Context) error {
		seen, err := w.cluster.GetCeph(ctx)
		if err == nil && slices.ContainsFunc(seen.OSDs, func(o rook.OSD) bool { return o.ID == osd && o.Up }) {
			err = errors.New("osd." + id + " still runs")
		}
		return err
	})(ctx, report); err != nil {
		return err
	}
	if err := w.do(ctx, "osd."+id, func(ctx context.Context) error {
		return w.cluster.RunCeph(ctx, "osd", "purge", id, "--yes-i-really-mean-it")
	}); err != nil {
		return err
	}
	report.EmitProgress("osd." + id + " is out of Ceph")
	return nil
}

// deleteDisks comes after the purge, as the disk of a claim that is deleted is wiped. Ceph is to use as many disks as before a new one was
// added, or one less.
func (w disks) deleteDisks(ctx context.Context, _ provisioner.Report, of Change) error {
	known := w.get(of.Node)
	if of.IsCommitted {
		return provisioner.Skip(of.Node + " has no OSDs")
	}
	if err := w.shrink(ctx, of, known); err != nil {
		return err
	}
	for _, disk := range known.Disks {
		if err := w.do(ctx, "claim "+disk.Claim, func(ctx context.Context) error { return w.cluster.DeleteCephDisk(ctx, disk) }); err != nil {
			return err
		}
	}
	return nil
}

func (w disks) shrink(ctx context.Context, of Change, known rook.Change) error {
	setup, err := w.cluster.GetCephSetup(ctx)
	if err != nil {
		return err
	}
	wanted := known.Devices
	if wanted == 0 {
		seen, err := w.cluster.GetCeph(ctx)
		if err != nil {
			return err
		}
		wanted = len(seen.OSDs)
	}
	if setup.Devices <= wanted {
		return nil
	}
	return w.set(ctx, of.Node, "devices", func(c *rook.Change) { c.Devices = wanted }, func(ctx context.Context) error { return w.cluster.SetCephDevices(ctx, wanted) })
}
