// Package rotation opens an installed cluster to rotate its credentials: what would be changed, and its run.
package rotation

import (
	"cmp"
	"context"
	"errors"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/day2"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/rotation"
	"exoshift/state"
)

// Cluster is an installed cluster whose credentials are rotated.
type Cluster struct {
	nodes.Cluster
	Alter func(*rotation.Clients) // for tests; nil: nothing
	// SignIn is for tests of Project Syn; nil: as the cluster was opened.
	SignIn *environment.Access
	// AlterKubeconfig is as Alter, for the kubeconfig, with the files of the folder.
	AlterKubeconfig func(*rotation.KubeconfigClients, rotation.Files) rotation.Files
}

// Request is what a person asked for.
type Request struct {
	DryRun  bool
	Program string   // name, version and system of this program
	Retry   string   // the command that goes on with it
	Kinds   []string // of API keys; none: all that the cluster uses
}

// VerbKeys is the rotation of API keys.
const VerbKeys = "rotate api-keys"

// Plan is what would be changed.
type Plan struct {
	Verb       string
	Keys       []rotation.Key
	Skipped    []string                   // keys that the cluster does not use, one sentence each
	Kubeconfig *rotation.KubeconfigReview // nil: that is not what is rotated
	Steps      provisioner.Plan
	Retry      string // the command that goes on with it
}

// Display shows a rotation.
type Display interface {
	// ShowPlan shows what would be changed.
	ShowPlan(plan Plan) error
	// Confirm returns an error unless all that may be changed.
	Confirm(ctx context.Context) error
	// Open decouples the run from its readers, and begins to show it.
	Open(ctx context.Context, shown run.View) run.Renderer
	// Close shows how the run ended, and waits for readers.
	Close(plan Plan, failure error, events string)
}

// RotateKeys rotates API keys. The folder must be locked, except for a dry run.
func (c Cluster) RotateKeys(ctx context.Context, wanted Request, shown Display) error {
	if err := clusterdir.CheckStarted(c.Facts); err != nil {
		return err
	}
	return c.withClients(wanted.DryRun, func(clients rotation.Clients, journal state.Recorder) error {
		facts := state.NewFactsStore(c.Facts, c.Folder.SaveFacts)
		options := rotation.Options{Kinds: wanted.Kinds, Journal: journal}
		closeStore, err := c.openStore(&options, facts)
		if err != nil {
			return err
		}
		defer closeStore()
		rotate := rotation.New(c.Spec, facts, clients, options)
		found, err := c.review(ctx, rotate)
		if err != nil {
			return err
		}
		plan := Plan{Verb: VerbKeys, Keys: found.Keys, Skipped: found.Skipped, Steps: rotate.Plan(), Retry: wanted.Retry}
		if err := shown.ShowPlan(plan); err != nil || wanted.DryRun {
			return err
		}
		if err := shown.Confirm(ctx); err != nil {
			return err
		}
		return c.execute(ctx, wanted, plan, rotate.Undo, shown)
	})
}

// review reads what would be changed.
func (c Cluster) review(ctx context.Context, rotate *rotation.Rotation) (found rotation.Review, err error) {
	err = c.waitReviewed(ctx, func(ctx context.Context, report provisioner.Report) (rotation.Review, error) {
		var err error
		found, err = rotate.Review(ctx, report)
		return found, err
	})
	return found, err
}

// waitReviewed returns an error unless nothing speaks against a rotation. In a rehearsal, the machines start when the zone is opened, and
// operators that are not well become so.
func (c Cluster) waitReviewed(ctx context.Context, review func(context.Context, provisioner.Report) (rotation.Review, error)) error {
	var found rotation.Review
	var err error
	interrupted := c.PollReview(ctx, 0, func(ctx context.Context, report provisioner.Report) error {
		if found, err = review(ctx, report); fault.Is(err, fault.Transient) || fault.Is(err, fault.Timeout) {
			return err
		}
		if len(found.Reasons) > 0 || err != nil {
			return nil
		}
		return found.Refusal()
	})
	if err := cmp.Or(interrupted, err); err != nil {
		return err
	}
	refusal := found.Refusal()
	switch {
	case fault.Is(refusal, fault.Conflict):
		return exit.WithCode(exit.Answers, refusal)
	case refusal != nil:
		return exit.WithCode(exit.Operators, refusal)
	}
	return nil
}

func (c Cluster) withClients(dryRun bool, do func(rotation.Clients, state.Recorder) error) error {
	journal, closeJournal, err := c.OpenJournal(dryRun)
	if err != nil {
		return err
	}
	defer closeJournal()
	cloud, err := exoscale.New(c.Net, c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret, journal)
	if err != nil {
		return err
	}
	defer cloud.Close()
	cluster := c.NewClient()
	defer cluster.Close()
	clients := rotation.Clients{Cloud: cloud, Cluster: cluster, Storage: storage{c.Net, c.Spec.Exoscale.Zone}, Clock: c.Net.Clock}
	if c.Alter != nil {
		c.Alter(&clients)
	}
	return do(clients, journal)
}

func (c Cluster) execute(ctx context.Context, wanted Request, plan Plan, undo func(context.Context) error, shown Display) error {
	return day2.Run{
		Folder: c.Folder, Spec: c.Spec, Net: c.Net, Verb: plan.Verb, Title: plan.Verb + " of " + c.Spec.Cluster.ID, Program: wanted.Program,
		Steps: plan.Steps, Retry: func() string { return plan.Retry },
		End: func(ctx context.Context, _ func(provisioner.Event), failure error) error {
			if failure == nil || undo == nil {
				return failure
			}
			_, err := day2.Undo(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, undo(ctx) })
			return errors.Join(failure, err)
		},
	}.Execute(ctx, shown, func(failure error, events string) { shown.Close(plan, failure, events) })
}
