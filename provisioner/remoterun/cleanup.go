package remoterun

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

// settleTime is how long, by the zone's clock, the result of a request whose response was lost may take to become visible.
const settleTime = 30 * time.Second

// deleteAll deletes the machine, then its group, then the bucket, which marks the run as active for other processes. The bucket
// is deleted in any case: it may hold a secret.
func (e *run) deleteAll(ctx context.Context) error {
	if err := e.waitSettled(ctx); err != nil {
		return err
	}
	err := e.deleteMachines(ctx)
	if err == nil {
		err = e.deleteGroup(ctx)
	}
	_, storage := e.storage.DeleteBucket(ctx, e.name())
	return errors.Join(err, storage)
}

// waitSettled waits if a recent request has an unknown result.
func (e *run) waitSettled(ctx context.Context) error {
	entries, err := e.folder.ListEntries()
	if err != nil {
		return err
	}
	var last time.Time
	for _, entry := range entries {
		if e.journal.Open(entry.Kind, entry.Name) {
			last = entry.Time
		}
	}
	left := settleTime - e.options.Clock.Now().Sub(last)
	if last.IsZero() || left <= 0 {
		return nil
	}
	return e.options.Clock.Sleep(ctx, min(left, settleTime))
}

func (e *run) deleteMachines(ctx context.Context) error {
	machines, err := e.cloud.ListInstances(ctx, e.labels())
	if err != nil {
		return err
	}
	var faults []error
	for _, machine := range machines {
		_, err := e.cloud.Delete(ctx, state.Object{Kind: state.KindInstance, Name: machine.Name, ID: machine.ID})
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

func (e *run) deleteGroup(ctx context.Context) error {
	groups, err := e.cloud.ListObjectsByKind(ctx, state.KindSecurityGroup)
	if err != nil {
		return err
	}
	own := slices.IndexFunc(groups, func(o state.Object) bool { return o.Name == e.name() })
	if own < 0 {
		return nil
	}
	_, err = e.cloud.Delete(ctx, groups[own])
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// finish deletes all that the run created. If that succeeds it removes the run's folder.
func (e *run) finish(ctx context.Context) error {
	defer e.release()
	if err := e.deleteAll(ctx); err != nil {
		return fault.New(fault.KindOf(err), "delete "+e.name()+" in zone "+e.options.Zone, err).
			WithHint("the next run in the zone removes it; or delete the machine, the security group and the bucket with that name in the Exoscale portal")
	}
	if err := os.Remove(e.folder.Path(recordFile)); err != nil {
		return fault.New(fault.Internal, "remove the record of a run without leftovers", err).WithHint("delete %s", e.folder.Path())
	}
	e.release()
	_ = os.RemoveAll(e.folder.Path()) // a later run tries again
	return nil
}

// cleanUpLimit bounds, by the zone's clock, the deletion of all objects, whatever the result of the run.
const cleanUpLimit = 15 * time.Minute

// cleanUp runs even though the context of the run may have ended.
func (e *run) cleanUp(ctx context.Context) error {
	limit := max(e.options.Clock.ToWall(cleanUpLimit), time.Minute)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	return e.finish(ctx)
}
