package ceph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state/rook"
)

// waits are for what Ceph and Rook do by themselves.
type waits struct {
	*switches
	observe func(report provisioner.Report, node string, checks []string)
}

// emit emits what Ceph reports when that has changed.
func (w waits) emit(report provisioner.Report, seen rook.Ceph) {
	var used, total int64
	status := provisioner.CephStatus{OSDs: len(seen.OSDs)}
	for _, check := range seen.Checks {
		status.Checks = append(status.Checks, check.Code)
	}
	for _, osd := range seen.OSDs {
		if osd.Up {
			status.OSDsUp++
		}
		if osd.In {
			status.OSDsIn++
		}
		used, total = used+osd.Used, total+osd.Total
	}
	for name, count := range seen.Groups {
		status.Groups += count
		if isClean(name) {
			status.GroupsClean += count
		}
	}
	status.UsedPercent = int(percent(used, total))
	if w.states.Update("ceph", fmt.Sprint(seen.Health, status)) {
		report(provisioner.Event{Type: provisioner.TypeCeph, State: seen.Health, Ceph: &status})
	}
}

// waitHealthy is passed only once Ceph is as it has to be before anything is changed.
func (w waits) waitHealthy(ctx context.Context, report provisioner.Report, of Change) error {
	if known := w.get(of.Node); known.Emptied || of.IsCommitted {
		return provisioner.Skip("the OSDs of " + of.Node + " are being removed already")
	}
	err := w.until(settleLimit, func(ctx context.Context) error {
		seen, err := w.cluster.GetCeph(ctx)
		if err != nil {
			return err
		}
		w.emit(report, seen)
		found := reviewHealth(seen, w.isBegun(of))
		w.observe(report, of.Node, found.Refusals)
		if len(found.Refusals) > 0 {
			return fault.Newf(fault.Conflict, "change the storage node "+of.Node, "Ceph is not well: %s", strings.Join(found.Refusals, "; ")).
				WithHint("nothing was changed with %s; run the same command again once Ceph is well", of.Node)
		}
		return nil
	})(ctx, report)
	return err
}

// waitClean waits until every placement group is clean and more holds, however long that takes: what is said is for how long nothing has
// changed, and why.
func (w waits) waitClean(ctx context.Context, report provisioner.Report, of Change, more func(context.Context, rook.Ceph) error) error {
	last, since, warned := "", w.clock.Now(), false
	return w.until(settleLimit, func(ctx context.Context) error {
		w.renewSilence(ctx, of.Node)
		seen, err := w.cluster.GetCeph(ctx)
		if err != nil {
			return provisioner.Progressing(err)
		}
		w.emit(report, seen)
		w.observe(report, of.Node, listTroubles(seen, of))
		now := w.clock.Now()
		if figures := fmt.Sprint(seen.Degraded, seen.Misplaced, seen.Groups); figures != last {
			last, since, warned = figures, now, false
		}
		if !warned && now.Sub(since) >= idleWarning {
			warned = true
			report.EmitProgress(fmt.Sprintf("warning: for %d minutes, Ceph has moved no data: %s", int(now.Sub(since).Minutes()), describeTraffic(seen)))
		}
		if describeUnclean(seen) != "" || seen.Misplaced+seen.Degraded > 0 {
			return provisioner.Progressing(errors.New(describeTraffic(seen)))
		}
		if err := more(ctx, seen); err != nil {
			return provisioner.Progressing(err)
		}
		return nil
	})(ctx, report)
}

// describeTraffic says what is left to be moved.
func describeTraffic(seen rook.Ceph) string {
	text := fmt.Sprintf("%d copies of objects to move, %d to make again", seen.Misplaced, seen.Degraded)
	if unclean := describeUnclean(seen); unclean != "" {
		text += "; " + unclean
	}
	return text
}

// listTroubles leaves out what the work itself brings about.
func listTroubles(seen rook.Ceph, of Change) (troubles []string) {
	expected := append(listAllowedChecks(), "OSDMAP_FLAGS", "MON_DOWN")
	own := slices.ContainsFunc(seen.OSDs, func(o rook.OSD) bool { return o.Host == of.Node && !o.Up })
	for _, osd := range seen.OSDs {
		if !osd.Up && osd.Host != of.Node {
			troubles = append(troubles, fmt.Sprintf("osd.%d of %s is down", osd.ID, osd.Host))
		}
	}
	for _, check := range seen.Checks {
		if slices.Contains(expected, check.Code) || own && check.Code == "OSD_DOWN" {
			continue
		}
		troubles = append(troubles, check.Code+": "+check.Message)
	}
	return troubles
}

// waitConfigured changes the configuration, and waits until Argo CD has lowered the count of disks by it: once the OSDs of the node are gone,
// Rook would make others of a count that is too high.
func (w waits) waitConfigured(ctx context.Context, report provisioner.Report, of Change, configure provisioner.StepFunc) error {
	if known := w.get(of.Node); len(known.Policies) > 0 || known.Emptied || of.IsCommitted {
		return provisioner.Skip("the OSDs of " + of.Node + " are being removed already")
	}
	if err := configure(ctx, report); err != nil {
		return err
	}
	seen, err := w.cluster.GetCeph(ctx)
	if err != nil {
		return err
	}
	return w.waitDevices(ctx, report, of, "lowered", func(devices int) bool { return devices < len(seen.OSDs) })
}

// waitDevices waits until Argo CD has set a count of disks that is reached, if there is one that looks after Ceph.
func (w waits) waitDevices(ctx context.Context, report provisioner.Report, of Change, done string, isReached func(devices int) bool) error {
	return w.until(syncLimit, func(ctx context.Context) error {
		w.renewSilence(ctx, of.Node)
		policies, err := w.cluster.GetSyncPolicies(ctx, applicationRook)
		if err != nil {
			return err
		}
		if _, managed := policies[applicationRook]; !managed {
			return nil
		}
		setup, err := w.cluster.GetCephSetup(ctx)
		if err == nil && !isReached(setup.Devices) {
			err = fault.Newf(fault.Waiting, "change the storage node "+of.Node, "Argo CD has not %s the count of disks yet: it is %d", done, setup.Devices).
				WithHint("see why the application rook-ceph is not synchronized, then run the same command again")
		}
		return err
	})(ctx, report)
}

// waitOSD waits until a node has an OSD.
func (w waits) waitOSD(ctx context.Context, report provisioner.Report, node, next string) error {
	return w.until(osdLimit, func(ctx context.Context) error {
		w.renewSilence(ctx, node)
		seen, err := w.cluster.GetCeph(ctx)
		if err == nil && !slices.ContainsFunc(seen.OSDs, func(o rook.OSD) bool { return o.Host == next && o.Up && o.In }) {
			err = errors.New("no OSD of " + next + " is up")
		}
		return err
	})(ctx, report)
}

// checkUnneeded requires that no data needs the OSDs, as Ceph says.
func (w waits) checkUnneeded(ctx context.Context, disks []rook.Disk) error {
	for _, disk := range disks {
		safe, reason, err := w.cluster.IsSafeToDestroy(ctx, disk.OSD)
		if err == nil && !safe {
			err = errors.New(reason)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
