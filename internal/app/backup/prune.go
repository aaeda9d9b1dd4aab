package backup

import (
	"context"
	"errors"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/fault"
	"exoshift/provisioner/backup"
	"exoshift/state"
)

// Deletion is what a person decides about backups that are deleted.
type Deletion struct {
	DryRun    bool
	Retention backup.Retention
}

// PrunePlan is what would be deleted, and what is kept.
type PrunePlan struct {
	Bucket    string
	Deleted   []backup.Backup
	Kept      []backup.Backup
	Leftovers []string // keys of objects that belong to no backup
}

// PruneDisplay shows a deletion, and asks before it begins.
type PruneDisplay interface {
	// ShowPlan shows what would be deleted.
	ShowPlan(plan PrunePlan) error
	// Confirm returns an error unless that may be deleted.
	Confirm(ctx context.Context) error
	// Done reports that a backup, or what belongs to none, was deleted.
	Done(name string)
	// Warn reports what could not be done, and is no failure.
	Warn(text string)
}

// Prune deletes the backups that no rule keeps, and what was interrupted has left. The folder must be locked, except for a dry run.
func (c Cluster) Prune(ctx context.Context, wanted Deletion, shown PruneDisplay) error {
	return c.withClients(wanted.DryRun, func(clients backup.Clients) error {
		store := backup.NewStore(c.Spec, clients.Objects)
		all, leftovers, err := store.List(ctx)
		if err != nil {
			return err
		}
		plan := PrunePlan{Bucket: store.Bucket(), Deleted: wanted.Retention.Choose(all, c.Now()), Leftovers: leftovers}
		deleted := map[string]bool{}
		for _, one := range plan.Deleted {
			deleted[one.Name] = true
		}
		for _, one := range all {
			if !deleted[one.Name] {
				plan.Kept = append(plan.Kept, one)
			}
		}
		if err := shown.ShowPlan(plan); err != nil || wanted.DryRun {
			return err
		}
		if len(plan.Deleted) > 0 {
			if err := shown.Confirm(ctx); err != nil {
				return err
			}
		}
		return clusterdir.ExplainStop(c.deleteAll(ctx, plan, store, clients, shown), "stopped while backups were deleted")
	})
}

func (c Cluster) deleteAll(ctx context.Context, plan PrunePlan, store *backup.Store, clients backup.Clients, shown PruneDisplay) error {
	for _, one := range plan.Deleted {
		if err := store.Delete(ctx, one.Name); err != nil {
			return err
		}
		shown.Done(one.Name)
	}
	return errors.Join(c.clean(ctx, store, shown), c.endSnapshot(ctx, clients, shown))
}

func (c Cluster) clean(ctx context.Context, store *backup.Store, shown PruneDisplay) error {
	cleaned, err := store.Clean(ctx)
	for _, key := range cleaned {
		shown.Done(key)
	}
	return err
}

// endSnapshot deletes what an interrupted backup has left in the cluster. An API that does not answer is no failure.
func (c Cluster) endSnapshot(ctx context.Context, clients backup.Clients, shown PruneDisplay) error {
	if c.Facts.Hibernation != nil {
		return nil
	}
	action, err := clients.Cluster.EndSnapshot(ctx)
	switch {
	case ctx.Err() != nil:
		return errors.Join(context.Cause(ctx), err)
	case err == nil && action == state.Deleted:
		shown.Done("the pod of an interrupted backup")
	case fault.Is(err, fault.Transient), fault.Is(err, fault.Timeout):
		shown.Warn("whether an interrupted backup has left its pod is not known: " + err.Error())
		return nil
	}
	return err
}
