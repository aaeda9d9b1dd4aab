package upgrade

import (
	"context"
	"errors"
	"strings"

	"exoshift/internal/app/day2"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/upgrade"
	"exoshift/state"
	stateupgrade "exoshift/state/upgrade"
)

// IsManaged reports whether the cluster is updated by its own controller, as the configuration of its tenant says.
func (c Cluster) IsManaged() bool { return c.Spec.Syn.LieutenantURL != "" }

// ManagedPlan is what would be changed about the updates of such a cluster.
type ManagedPlan struct {
	Request Request
	Review  upgrade.ManagedReview
	Steps   provisioner.Plan
	Retry   string // the command that goes on with it
}

// ManagedDisplay shows such a change to a person or a program, and asks before anything is changed.
type ManagedDisplay interface {
	// ShowPlan shows what the controller does when, and what would be changed.
	ShowPlan(plan ManagedPlan) error
	// Confirm returns an error unless all that may be changed.
	Confirm(ctx context.Context) error
	// Open decouples the run from its readers, and begins to show it.
	Open(ctx context.Context, shown run.View) run.Renderer
	// Close shows how the run ended, and waits for readers.
	Close(plan ManagedPlan, failure error, events string)
}

// tenant is the configuration of the cluster's tenant.
type tenant struct {
	run     run.Run
	journal state.Recorder
}

// PreviewUpgrades returns how it would change.
func (t tenant) PreviewUpgrades(ctx context.Context, wanted stateupgrade.Configuration) (state.Difference, error) {
	return run.Configuration{Run: t.run, Edits: syn.BuildUpgradeEdits(wanted)}.Preview(ctx)
}

// CommitUpgrades changes it.
func (t tenant) CommitUpgrades(ctx context.Context, report provisioner.Report, wanted stateupgrade.Configuration, message string) error {
	return run.Configuration{Run: t.run, Edits: syn.BuildUpgradeEdits(wanted)}.Update(ctx, t.journal, report, message)
}

// RunManaged changes what the cluster's own controller is told to do, or shows it. The folder must be locked if anything is changed.
func (c Cluster) RunManaged(ctx context.Context, wanted Request, install nodes.Installer, shown ManagedDisplay) error {
	if err := checkManagedRequest(wanted); err != nil {
		return err
	}
	r, err := nodes.OpenRun(ctx, c.Cluster, install)
	if err != nil {
		return err
	}
	journal, closeJournal, err := c.OpenJournal(wanted.DryRun || !wanted.Changes())
	if err != nil {
		return err
	}
	defer closeJournal()
	cluster := c.NewClient()
	defer cluster.Close()
	clients := upgrade.ManagedClients{Cluster: cluster, Tenant: tenant{r, journal}, Clock: c.Net.Clock}
	managed := upgrade.NewManaged(c.Spec, clients, upgrade.ManagedOptions{To: wanted.To, Channel: wanted.Channel, Suspend: wanted.Suspend, Resume: wanted.Resume})
	found, err := c.reviewManaged(ctx, managed, wanted)
	if err != nil {
		return err
	}
	if wanted.To != "" && !stateupgrade.IsRelease(wanted.To) {
		return newFormError(c.Spec.Cluster.ID, wanted.To, found.Status)
	}
	if err := c.recordVersion(ctx, found.Status, wanted); err != nil {
		return err
	}
	plan := ManagedPlan{Request: wanted, Review: found, Steps: managed.Plan(), Retry: wanted.Retry}
	if err := shown.ShowPlan(plan); err != nil {
		return err
	}
	switch {
	case found.Refusal != nil:
		return exit.WithCode(exit.Answers, found.Refusal)
	case wanted.DryRun, len(plan.Steps) == 0:
		return nil
	case found.Unseen != "":
		return exit.WithCode(exit.Syn, fault.Newf(fault.Waiting, "change the configuration of the tenant", "nothing was changed: %s", found.Unseen))
	}
	if err := shown.Confirm(ctx); err != nil {
		return err
	}
	return c.executeManaged(ctx, wanted, plan, shown)
}

// checkManagedRequest refuses flags of updates that are made from here.
func checkManagedRequest(wanted Request) error {
	if wanted.AllowNotRecommended || len(wanted.Acknowledge) > 0 || wanted.Canary != "" || wanted.PausePools || wanted.Backup.Folder != "" || wanted.Backup.Without {
		return exit.WithCode(exit.Usage, fault.Newf(fault.Invalid, "upgrade", "Project Syn updates this cluster, by its own upgrade controller: only --to, --channel, --suspend and --resume are for it"))
	}
	return nil
}

// reviewManaged waits for the cluster of a rehearsal, which starts when its zone is opened, and fetches its updates then.
func (c Cluster) reviewManaged(ctx context.Context, managed *upgrade.ManagedUpgrade, wanted Request) (found upgrade.ManagedReview, err error) {
	interrupted := c.PollReview(ctx, 0, func(ctx context.Context, _ provisioner.Report) error {
		if found, err = managed.Review(ctx); err != nil {
			return err
		}
		if status := found.Status; !status.Observed || !status.Retrieved && (!wanted.Changes() || wanted.To != "") {
			return errors.New("the cluster fetches its updates")
		}
		return nil
	})
	if interrupted != nil {
		return found, interrupted
	}
	return found, err
}

func (c Cluster) executeManaged(ctx context.Context, wanted Request, plan ManagedPlan, shown ManagedDisplay) error {
	return day2.Run{
		Folder: c.Folder, Spec: c.Spec, Net: c.Net, Verb: Verb, Title: "change when " + c.Spec.Cluster.ID + " is updated", Program: wanted.Program,
		Steps: plan.Steps, Retry: func() string { return plan.Retry },
	}.Execute(ctx, shown, func(failure error, events string) { shown.Close(plan, failure, events) })
}

// DescribeWindow returns when the controller may update the cluster next; "": it does not say so.
func DescribeWindow(managed stateupgrade.Managed) string {
	var windows []string
	for _, one := range managed.Schedules {
		if !one.Suspended && !one.Next.IsZero() {
			windows = append(windows, one.Next.UTC().Format("Monday 2006-01-02 15:04 MST")+" ("+one.Name+")")
		}
	}
	return strings.Join(windows, ", ")
}
