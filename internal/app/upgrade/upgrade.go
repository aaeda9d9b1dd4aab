// Package upgrade updates an installed cluster to another release of OpenShift: it opens the cluster, shows what it can be updated to and what
// has to hold before, asks, and runs the steps.
package upgrade

import (
	"context"
	"errors"
	"strings"

	"exoshift/internal/app/day2"
	"exoshift/internal/app/etcdbackup"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/upgrade"
	"exoshift/state"
	stateupgrade "exoshift/state/upgrade"
)

// Verb is the verb's name.
const Verb = "upgrade"

// Cluster is an installed cluster that is updated.
type Cluster struct {
	nodes.Cluster
	Alter func(*upgrade.Clients) // for tests; nil: nothing
}

// Request is what a person decides.
type Request struct {
	upgrade.Options                   // without FindBackup and a journal
	Backup          etcdbackup.Choice // to come back to
	DryRun          bool
	Program         string // name, version and system of this program
	Retry           string // the command that goes on with it
	// ReadKeys returns whom a backup is encrypted to that is made before the update; nil: none is made.
	ReadKeys etcdbackup.ReadKeys
	Suspend  bool // the windows of a cluster that its own controller updates
	Resume   bool // these windows
}

// Changes reports whether anything is to be changed: without a release and a channel, updates are listed.
func (r Request) Changes() bool { return r.To != "" || r.Channel != "" || r.Suspend || r.Resume }

// Plan is what an update would change.
type Plan struct {
	Verb    string
	Request Request
	Review  upgrade.Review
	Steps   provisioner.Plan
	Paused  []string // pools that the update has paused, which the same command without --pause-pools goes on with
	Retry   string   // the command that goes on with it
}

// Display shows an update to a person or a program, and asks before anything is changed.
type Display interface {
	// ShowUpdates shows what the cluster can be updated to.
	ShowUpdates(status stateupgrade.Status) error
	// ShowPlan shows what has to hold, and what would be changed.
	ShowPlan(plan Plan) error
	// Confirm returns an error unless all that may be changed.
	Confirm(ctx context.Context) error
	// Open decouples the run from its readers, and begins to show it.
	Open(ctx context.Context, shown run.View) run.Renderer
	// Close shows how the run ended, and waits for readers.
	Close(plan Plan, failure error, events string)
}

// Run updates the cluster, sets its channel, or lists what it can be updated to. The folder must be locked if anything is changed.
func (c Cluster) Run(ctx context.Context, wanted Request, shown Display) error {
	if wanted.Suspend || wanted.Resume {
		return exit.WithCode(exit.Usage, fault.Newf(fault.Invalid, "upgrade", "--suspend and --resume are for clusters that Project Syn updates"))
	}
	return c.withClients(wanted.DryRun || !wanted.Changes(), func(clients upgrade.Clients, journal state.Recorder) error {
		options := wanted.Options
		options.Journal = journal
		options.FindBackup = func(ctx context.Context) (backup.Requirement, error) {
			return nodes.NewBackupSource(c.Cluster, wanted.Program, wanted.ReadKeys).Require(ctx, wanted.Backup, c.Now(), journal)
		}
		update := upgrade.New(c.Spec, state.NewFactsStore(c.Facts, c.Folder.SaveFacts), clients, options)
		found, err := c.review(ctx, update, wanted)
		if err != nil {
			return err
		}
		if wanted.To != "" && !stateupgrade.IsRelease(wanted.To) {
			return newFormError(c.Spec.Cluster.ID, wanted.To, found.Status)
		}
		if !wanted.Changes() {
			if err := c.recordVersion(ctx, found.Status, wanted); err != nil {
				return err
			}
			return shown.ShowUpdates(found.Status)
		}
		plan := Plan{Verb: Verb, Request: wanted, Review: found, Retry: wanted.Retry}
		if !found.Ended {
			plan.Steps = update.Plan()
		}
		if err := shown.ShowPlan(plan); err != nil {
			return err
		}
		if err := refuse(found); err != nil || wanted.DryRun || found.Ended {
			return err
		}
		if err := shown.Confirm(ctx); err != nil {
			return err
		}
		return c.execute(ctx, wanted, plan, update, shown)
	})
}

func newFormError(cluster, to string, status stateupgrade.Status) error {
	failure := fault.Newf(fault.Invalid, "upgrade", "--to %s: a release is given like 4.20.7, and %s", to, status.DescribeUpdates())
	return exit.WithCode(exit.Usage, failure.WithHint("list what it can be updated to: exoshift upgrade %s", cluster))
}

// refuse returns refusals with their exit code: that of etcd, of operators, or of answers.
func refuse(found upgrade.Review) error {
	err := found.Refusal()
	switch {
	case err == nil:
		return nil
	case found.Fails(upgrade.CheckEtcd):
		return exit.WithCode(exit.ControlPlane, err)
	case found.Fails(upgrade.CheckOperators) && !found.IsLasting():
		return exit.WithCode(exit.Operators, err)
	}
	return exit.WithCode(exit.Answers, err)
}

// review waits for the cluster of a rehearsal, as long as what does not hold may end by itself.
func (c Cluster) review(ctx context.Context, update *upgrade.Upgrade, wanted Request) (found upgrade.Review, err error) {
	interrupted := c.PollReview(ctx, 0, func(ctx context.Context, _ provisioner.Report) error {
		if found, err = update.Review(ctx); err != nil {
			return err
		}
		if !found.Status.Observed || !found.Status.Retrieved && !wanted.Changes() {
			return errors.New("the cluster fetches its updates")
		}
		if !found.IsPassing() {
			return nil
		}
		return found.Refusal()
	})
	if interrupted != nil {
		return found, interrupted
	}
	return found, err
}

func (c Cluster) withClients(readOnly bool, do func(upgrade.Clients, state.Recorder) error) error {
	journal, closeJournal, err := c.OpenJournal(readOnly)
	if err != nil {
		return err
	}
	defer closeJournal()
	cluster := c.NewClient()
	defer cluster.Close()
	clients := upgrade.Clients{Cluster: cluster, Clock: c.Net.Clock}
	if c.Alter != nil {
		c.Alter(&clients)
	}
	return do(clients, journal)
}

// execute runs the steps.
func (c Cluster) execute(ctx context.Context, wanted Request, plan Plan, update *upgrade.Upgrade, shown Display) error {
	title := "update " + c.Spec.Cluster.ID + " to " + wanted.To
	if wanted.To == "" {
		title = "set the update channel of " + c.Spec.Cluster.ID
	}
	return day2.Run{
		Folder: c.Folder, Spec: c.Spec, Net: c.Net, Verb: plan.Verb, Title: title, Program: wanted.Program,
		Steps: plan.Steps, Retry: func() string { return plan.Retry },
		End: func(ctx context.Context, emit func(provisioner.Event), failure error) error {
			if failure == nil {
				return nodes.RewriteHandover(c.Cluster)
			}
			freed, err := day2.Undo(ctx, update.Undo)
			for _, pool := range freed {
				emit(provisioner.Event{Type: provisioner.TypeObject, Step: "pause", Kind: "machine config pool", Name: pool, Action: string(state.Updated),
					Text: "it is not paused any more: the update was given up"})
			}
			return errors.Join(failure, err)
		},
	}.Execute(ctx, shown, func(failure error, events string) {
		if facts, err := c.Folder.LoadFacts(); err == nil && facts.Upgrade != nil {
			plan.Paused = facts.Upgrade.Paused
		}
		shown.Close(plan, failure, events)
		if failure == nil && wanted.To == "" {
			c.showAgain(ctx, update, shown)
		}
	})
}

// showAgain lists the updates of the channel that was set; a failure is none of the run.
func (c Cluster) showAgain(ctx context.Context, update *upgrade.Upgrade, shown Display) {
	if found, err := update.Review(ctx); err == nil {
		_ = shown.ShowUpdates(found.Status)
	}
}

// CheckRequest refuses flags that exclude each other, or that mean nothing without others.
func CheckRequest(wanted Request) error {
	var problem string
	switch {
	case wanted.Backup.Without && wanted.Backup.Folder != "":
		problem = "--etcd-backup and --without-backup exclude each other"
	case wanted.Canary != "" && wanted.PausePools:
		problem = "--canary and --pause-pools exclude each other: a canary is updated by a run that goes on with the other pools"
	case wanted.To == "" && (wanted.AllowNotRecommended || len(wanted.Acknowledge) > 0 || wanted.Canary != "" || wanted.PausePools):
		problem = "these flags are for an update: give --to"
	case wanted.Suspend && (wanted.Resume || wanted.To != ""):
		problem = "--suspend excludes --resume and --to"
	case strings.ContainsAny(wanted.To+wanted.Channel, " \t\n"):
		problem = "a release is given like 4.20.7, and a channel like stable-4.20"
	}
	if problem == "" {
		return nil
	}
	return exit.WithCode(exit.Usage, fault.Newf(fault.Invalid, "upgrade", "%s", problem))
}
