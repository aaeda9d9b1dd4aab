// Package restore opens an installed cluster to restore objects of its API from a backup: the difference, and the run that applies it.
package restore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"filippo.io/age"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/day2"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/restore"
	"exoshift/state"
)

// Verb restores objects.
const Verb = "restore objects"

// Cluster is an installed cluster into which objects are restored.
type Cluster struct {
	nodes.Cluster
	Alter func(*restore.Clients) // for tests; nil: nothing
}

// Request is what a person asked for.
type Request struct {
	From       string // the name of a backup, or latest
	Selection  restore.Selection
	Identities []age.Identity
	DryRun     bool
	Program    string                   // name, version and system of this program
	Retry      func(from string) string // the command that goes on with it
}

// Plan is what would be restored.
type Plan struct {
	Review restore.Review
	Steps  provisioner.Plan
	Retry  string // the command that goes on with it
}

// Display shows a restoration to a person or a program, and asks before anything is changed.
type Display interface {
	// ShowFinding shows what is wrong with a backup.
	ShowFinding(event provisioner.Event)
	// ShowPlan shows the difference.
	ShowPlan(plan Plan) error
	// Confirm returns an error unless all that may be applied.
	Confirm(ctx context.Context) error
	// Open decouples the run from its readers, and begins to show it.
	Open(ctx context.Context, shown run.View) run.Renderer
	// Close shows how the run ended, and waits for readers.
	Close(plan Plan, failure error, events string)
}

// RestoreObjects shows the difference, and applies it. The folder must be locked, except for a dry run.
func (c Cluster) RestoreObjects(ctx context.Context, wanted Request, shown Display) error {
	if err := clusterdir.CheckStarted(c.Facts); err != nil {
		return err
	}
	if len(wanted.Identities) == 0 {
		return exit.WithCode(exit.Answers, errors.New("a backup is encrypted: set EXOSHIFT_AGE_IDENTITY to the file of an identity that can decrypt it"))
	}
	return c.withClients(func(clients restore.Clients) error {
		engine := restore.New(c.Spec, clients, restore.Options{From: wanted.From, Selection: wanted.Selection, Identities: wanted.Identities, InfraID: c.Facts.InfraID})
		review, err := c.review(ctx, engine)
		if err != nil {
			backup.EmitUnreadable(shown.ShowFinding, clients.Clock, c.Spec, wanted.From, err)
			return withCode(err)
		}
		plan := Plan{Review: review, Steps: engine.Plan(), Retry: wanted.Retry(review.Backup.Name)}
		if err := shown.ShowPlan(plan); err != nil || wanted.DryRun {
			return err
		}
		if review.HasWork() {
			if err := shown.Confirm(ctx); err != nil {
				return err
			}
			if err := c.execute(ctx, wanted, plan, shown); err != nil {
				return err
			}
		}
		return checkRefused(review)
	})
}

// checkRefused returns an error if something that was asked for is not in the cluster as the backup has it.
func checkRefused(review restore.Review) error {
	refused := review.Count(restore.Refuse)
	switch {
	case refused > 0:
		return exit.WithCode(exit.Answers, fmt.Errorf("%s refused; the reasons are above", text.Plural(refused, "object")))
	case review.Count(restore.Leave) == len(review.Changes):
		return exit.WithCode(exit.Answers, errors.New("nothing was restored: the cluster makes all of these objects itself"))
	}
	return nil
}

// answerLimit is for how long an API may not answer.
const answerLimit = time.Minute

func (c Cluster) review(ctx context.Context, engine *restore.Restore) (review restore.Review, err error) {
	interrupted := c.PollReview(ctx, answerLimit, func(ctx context.Context, _ provisioner.Report) error {
		if review, err = engine.Review(ctx); fault.Is(err, fault.Transient) || fault.Is(err, fault.Timeout) {
			return err
		}
		return nil
	})
	if interrupted != nil {
		return review, interrupted
	}
	return review, err
}

// withCode gives refusals before anything was changed their exit code.
func withCode(err error) error {
	if errors.Is(err, backup.ErrNoIdentity) {
		return exit.WithCode(exit.Answers, err)
	}
	switch fault.KindOf(err) {
	case fault.Conflict:
		return exit.WithCode(exit.Answers, err)
	case fault.NotFound:
		return exit.WithCode(exit.Usage, err)
	case fault.Invalid:
		if restore.IsSelectionError(err) {
			return exit.WithCode(exit.Usage, err)
		}
		return exit.WithCode(exit.ControlPlane, err)
	case fault.Transient, fault.Timeout:
		return exit.WithCode(exit.Operators, err)
	}
	return err
}

func (c Cluster) withClients(do func(restore.Clients) error) error {
	return c.WithStorage(state.NoJournal{}, func(cluster *openshift.Cluster, storage *objects.Client) error {
		clients := restore.Clients{Cluster: cluster, Objects: storage, Clock: c.Net.Clock}
		if c.Alter != nil {
			c.Alter(&clients)
		}
		return do(clients)
	})
}

func (c Cluster) execute(ctx context.Context, wanted Request, plan Plan, shown Display) error {
	return day2.Run{
		Folder: c.Folder, Spec: c.Spec, Net: c.Net, Verb: Verb, Title: "restore objects of " + c.Spec.Cluster.ID, Program: wanted.Program,
		Steps: plan.Steps, Retry: func() string { return plan.Retry },
	}.Execute(ctx, shown, func(failure error, events string) { shown.Close(plan, failure, events) })
}
