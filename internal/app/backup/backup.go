// Package backup makes backups of an installed cluster, lists and verifies them, and deletes those that nobody keeps.
package backup

import (
	"context"
	"errors"
	"time"

	"filippo.io/age"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/day2"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift"
	"exoshift/state/lease"
)

// Cluster is an installed cluster of which there are backups.
type Cluster struct {
	nodes.Cluster
	Alter func(*backup.Clients) // for tests; nil: nothing
}

// Request is what a person decides about a backup that is made.
type Request struct {
	DryRun  bool
	Program string // name, version and system of this program
	Retry   string // the command that goes on with it
	Keys    backup.Keys
}

// Plan is what making a backup does.
type Plan struct {
	Bucket     string
	Recipients []string
	Decrypts   bool // there are identities to verify the backup with
	Steps      provisioner.Plan
	Retry      string
}

// Display shows how a backup is made to a person or a program, and asks before anything is done.
type Display interface {
	// ShowPlan shows what would be done.
	ShowPlan(plan Plan) error
	// Confirm returns an error unless that may be done.
	Confirm(ctx context.Context) error
	// Open decouples the run from its readers, and begins to show it.
	Open(ctx context.Context, shown run.View) run.Renderer
	// Close shows how the run ended, and waits for readers. made is the backup; nil: there is none.
	Close(plan Plan, made *backup.Backup, failure error, events string)
}

// Verb of the run that makes a backup.
const Verb = "backup create"

// Create makes a backup. The folder must be locked, except for a dry run.
func (c Cluster) Create(ctx context.Context, wanted Request, shown Display) error {
	if err := clusterdir.CheckStarted(c.Facts); err != nil {
		return err
	}
	return c.withClients(wanted.DryRun, func(clients backup.Clients) error {
		create := backup.NewCreate(c.Spec, clients, backup.Options{Keys: wanted.Keys, InfraID: c.Facts.InfraID, Program: wanted.Program})
		if err := c.review(ctx, create); err != nil {
			return err
		}
		plan := Plan{Bucket: create.Bucket(), Recipients: wanted.Keys.Recipients, Decrypts: len(wanted.Keys.Identities) > 0, Steps: create.Plan(), Retry: wanted.Retry}
		if err := shown.ShowPlan(plan); err != nil || wanted.DryRun {
			return err
		}
		if err := shown.Confirm(ctx); err != nil {
			return err
		}
		return c.execute(ctx, wanted, create, plan, shown)
	})
}

// answerLimit is for how long an API may not answer.
const answerLimit = time.Minute

// review returns refusals for the sake of the cluster with their exit code.
func (c Cluster) review(ctx context.Context, create *backup.Create) (err error) {
	interrupted := c.PollReview(ctx, answerLimit, func(ctx context.Context, _ provisioner.Report) error {
		err = create.Review(ctx)
		if c.Facts.Rehearsal || fault.Is(err, fault.Transient) || fault.Is(err, fault.Timeout) {
			return err
		}
		return nil
	})
	if interrupted != nil {
		return interrupted
	}
	var refused *provisioner.PhaseError
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Phase == "operators":
		return exit.WithCode(exit.Operators, err)
	}
	return exit.WithCode(exit.ControlPlane, err)
}

func (c Cluster) execute(ctx context.Context, wanted Request, create *backup.Create, plan Plan, shown Display) error {
	return day2.Run{
		Folder: c.Folder, Spec: c.Spec, Net: c.Net, Verb: Verb, Title: "make a backup of " + c.Spec.Cluster.ID, Program: wanted.Program,
		Steps: plan.Steps, Retry: func() string { return plan.Retry },
		End: func(ctx context.Context, _ func(provisioner.Event), failure error) error {
			if lease.IsLost(ctx) { // whoever has taken over the lock ends it, or uses it
				return failure
			}
			return errors.Join(failure, create.End(ctx))
		},
	}.Execute(ctx, shown, func(failure error, events string) {
		var made *backup.Backup
		if failure == nil {
			made = &backup.Backup{Manifest: create.Manifest()}
		}
		shown.Close(plan, made, failure, events)
	})
}

// withClients calls do with clients that record changes in the journal.
func (c Cluster) withClients(reading bool, do func(backup.Clients) error) error {
	journal, closeJournal, err := c.OpenJournal(reading)
	if err != nil {
		return err
	}
	defer closeJournal()
	return c.WithStorage(journal, func(cluster *openshift.Cluster, storage *objects.Client) error {
		clients := backup.Clients{Cluster: cluster, Objects: storage, Clock: c.Net.Clock}
		if c.Alter != nil {
			c.Alter(&clients)
		}
		return do(clients)
	})
}

// List returns the backups, the newest first, and how many objects belong to none.
func (c Cluster) List(ctx context.Context) (found []backup.Backup, leftovers int, err error) {
	err = c.withClients(true, func(clients backup.Clients) error {
		all, keys, err := backup.NewStore(c.Spec, clients.Objects).List(ctx)
		found, leftovers = all, len(keys)
		return err
	})
	return found, leftovers, err
}

// Show returns a backup by its name, or the newest one for "latest".
func (c Cluster) Show(ctx context.Context, name string) (found backup.Backup, err error) {
	err = c.withClients(true, func(clients backup.Clients) error {
		found, err = backup.NewStore(c.Spec, clients.Objects).Find(ctx, name)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		err = exit.WithCode(exit.Usage, err)
	}
	return found, err
}

// Verify reads a backup back, and reports whether it was decrypted. emit is given the finding about a backup that is damaged.
func (c Cluster) Verify(ctx context.Context, of backup.Backup, identities []age.Identity, emit provisioner.Report) (decrypted bool, err error) {
	if of.Problem != "" {
		return false, exit.WithCode(exit.ControlPlane, fault.Newf(fault.Invalid, "read the backup "+of.Name+" back", "%s", of.Problem))
	}
	err = c.withClients(true, func(clients backup.Clients) error {
		store := backup.NewStore(c.Spec, clients.Objects)
		etcd, readable, err := store.Verify(ctx, of.Manifest, identities)
		if err == nil && readable && of.Etcd.Revision != 0 && etcd != of.Etcd.Status {
			err = backup.NewOtherStatusError(of.Manifest, etcd)
		}
		decrypted = readable
		backup.EmitUnreadable(emit, clients.Clock, c.Spec, of.Name, err)
		return err
	})
	if fault.Is(err, fault.Invalid) {
		err = exit.WithCode(exit.ControlPlane, err)
	}
	return decrypted, err
}
