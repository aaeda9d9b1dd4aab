package ceph

import (
	"context"
	"errors"
	"strings"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// StepsBefore returns the steps before a node is cordoned: its data and its OSDs go elsewhere. configure has the configuration of the tenant
// ask for one disk less; nil: nothing has.
func (w *Work) StepsBefore(of Change, configure provisioner.StepFunc) []provisioner.Step {
	do := w.bind(of)
	steps := []provisioner.Step{
		{ID: "ceph-check", Title: "Check that Ceph is well", Usual: 10 * time.Second, Do: do(w.waits.waitHealthy)},
		{ID: "silence", Title: "Silence the alerts of Ceph", Usual: 5 * time.Second, Do: do(w.silence)},
	}
	if configure != nil {
		steps = append(steps, provisioner.Step{ID: "configuration", Title: "Have the configuration of the tenant ask for one disk less", Usual: 6 * time.Minute,
			Do: func(ctx context.Context, report provisioner.Report) error {
				return w.waits.waitConfigured(ctx, report, of, configure)
			}})
	}
	steps = append(steps, provisioner.Step{ID: "sync-off", Title: "Switch the synchronization by Argo CD off", Usual: 5 * time.Second, Do: do(w.switchSyncOff)})
	stop := provisioner.Step{ID: "operator-off", Title: "Stop Rook's operator", Usual: 10 * time.Second, Do: do(w.stopOperator)}
	empty := provisioner.Step{ID: "empty", Title: "Move the data of " + of.Node + " to other nodes", Usual: time.Hour, Do: do(w.disks.empty)}
	if of.Next != "" {
		steps = append(steps, provisioner.Step{ID: "osd", Title: "Have Ceph use the disk of " + of.Next, Usual: 30 * time.Minute, Do: do(w.disks.grow)}, empty, stop)
	} else {
		steps = append(steps, stop, empty)
	}
	return append(steps,
		provisioner.Step{ID: "purge", Title: "Take the OSDs of " + of.Node + " out of Ceph", Usual: time.Minute, Do: do(w.disks.purge)},
		provisioner.Step{ID: "delete-osd", Title: "Delete what belongs to the OSDs of " + of.Node, Usual: 10 * time.Second, Do: do(w.disks.deleteDisks)},
		provisioner.Step{ID: "operator-on", Title: "Start Rook's operator", Usual: 30 * time.Second, Do: do(w.startOperator)},
	)
}

// StepsCordoned returns the steps of a node that is cordoned and not drained yet.
func (w *Work) StepsCordoned(of Change) []provisioner.Step {
	return []provisioner.Step{{ID: "mon", Title: "Move the monitor of " + of.Node, Usual: 2 * time.Minute, Do: w.bind(of)(w.mons.moveMon)}}
}

// StepsAfter returns the steps of a node that has left the cluster, and whose machine is stopped.
func (w *Work) StepsAfter(of Change) []provisioner.Step {
	return []provisioner.Step{{ID: "restore", Title: "Switch everything back", Usual: time.Minute, Do: w.bind(of)(w.finish)}}
}

// bind makes a step of a part of the work.
func (w *Work) bind(of Change) func(func(context.Context, provisioner.Report, Change) error) provisioner.StepFunc {
	return func(part func(context.Context, provisioner.Report, Change) error) provisioner.StepFunc {
		return func(ctx context.Context, report provisioner.Report) error { return part(ctx, report, of) }
	}
}

// finish deletes the volumes of the node's disks, switches everything back, and waits until Ceph is well.
func (w *Work) finish(ctx context.Context, report provisioner.Report, of Change) error {
	for _, disk := range w.get(of.Node).Disks {
		if disk.Volume == "" {
			continue
		}
		if err := w.do(ctx, "volume "+disk.Volume, func(ctx context.Context) error { return w.cluster.DeleteCephVolume(ctx, disk.Volume) }); err != nil {
			return err
		}
	}
	done, err := w.Restore(ctx, func(string) bool { return true })
	if err != nil {
		return err
	}
	if len(done) > 0 {
		report.EmitProgress("switched back: " + strings.Join(done, ", "))
	}
	if err := w.until(settleLimit, func(ctx context.Context) error {
		seen, err := w.cluster.GetCeph(ctx)
		if err != nil {
			return err
		}
		w.waits.emit(report, seen)
		if found := reviewHealth(seen, false); len(found.Refusals) > 0 {
			return errors.New("Ceph is not well: " + strings.Join(found.Refusals, "; "))
		}
		return nil
	})(ctx, report); err != nil {
		return err
	}
	return w.facts.Update(func(facts *state.Facts) { facts.Storage = nil })
}
