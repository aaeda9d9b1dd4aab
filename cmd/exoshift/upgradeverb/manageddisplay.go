package upgradeverb

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/upgrade"
	"exoshift/internal/console"
	"exoshift/internal/text"
	state "exoshift/state/upgrade"
)

// managedDisplay shows on the streams of the process when a cluster is updated by its own controller, and a change of that.
type managedDisplay struct{ cli.VerbDisplay }

// ShowPlan prints the windows and what would be changed: for programs only if nothing else follows.
func (d managedDisplay) ShowPlan(plan upgrade.ManagedPlan) error {
	switch follows := len(plan.Steps) > 0 && plan.Review.Refusal == nil && !d.DryRun; {
	case !d.Output.IsJSON():
		return printManaged(d.Output.WrapWriter(d.Std.Out), d.Cluster, plan)
	case !follows:
		return writeManagedJSON(d.Std.Out, plan)
	}
	return nil
}

// Close prints how it ended, and what happens when.
func (d managedDisplay) Close(plan upgrade.ManagedPlan, failure error, events string) {
	d.End(failure, events, func(w io.Writer) {
		if failure != nil {
			fmt.Fprintf(w, "\nResume with:\n  %s\n", console.SanitizeLine(plan.Retry))
			return
		}
		fmt.Fprintln(w, "\nThe cluster has the changed configuration.")
		printNext(w, d.Cluster, plan)
	})
}

func printManaged(w io.Writer, cluster string, plan upgrade.ManagedPlan) error {
	status, managed := plan.Review.Status, plan.Review.Managed
	fmt.Fprintf(w, "Cluster %s has %s and follows %s. Its own upgrade\ncontroller updates it, as the configuration of its tenant in Project Syn says.\n\n",
		console.SanitizeLine(cluster), console.SanitizeLine(status.Version), cmp.Or(console.SanitizeLine(status.Channel), "no channel"))
	if err := printSchedules(w, managed.Schedules); err != nil {
		return err
	}
	for _, job := range managed.Jobs {
		fmt.Fprintf(w, "The UpgradeJob %s has not ended.\n", console.SanitizeLine(job))
	}
	if !plan.Request.Changes() {
		fmt.Fprintln(w)
		if newest := status.FindNewest(); newest != nil {
			fmt.Fprintf(w, "The next window takes %s.\n", console.SanitizeLine(newest.Version))
		}
		return printChannel(w, status)
	}
	printManagedChange(w, cluster, plan)
	return nil
}

func printSchedules(w io.Writer, schedules []state.Schedule) error {
	if len(schedules) == 0 {
		fmt.Fprintln(w, "It has no UpgradeConfig, so that nothing updates it.")
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "UPGRADECONFIG\tCRON\tZONE\tNEXT WINDOW")
	for _, one := range schedules {
		next := "unknown"
		switch {
		case one.Suspended:
			next = "suspended"
		case !one.Next.IsZero():
			next = formatTime(one.Next)
		}
		cron := strings.TrimSuffix(one.Cron+" "+one.IsoWeek, " ")
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", console.SanitizeLine(one.Name), console.SanitizeLine(cron), console.SanitizeLine(one.Location), next)
	}
	return table.Flush()
}

func formatTime(at time.Time) string { return at.UTC().Format("Mon 2006-01-02 15:04 MST") }

func printManagedChange(w io.Writer, cluster string, plan upgrade.ManagedPlan) {
	review := plan.Review
	switch {
	case review.Ended:
		fmt.Fprintf(w, "\nCluster %s has %s already.\n", console.SanitizeLine(cluster), console.SanitizeLine(plan.Request.To))
		return
	case review.Refusal != nil:
		return
	case len(plan.Steps) == 0:
		fmt.Fprintln(w, "\nNothing is to be changed.")
		printNext(w, cluster, plan)
		return
	case review.Unseen != "":
		fmt.Fprintf(w, "\nThe configuration of the tenant could not be read: %s\n", console.SanitizeLine(review.Unseen))
	case review.Difference.Unified == "":
		fmt.Fprintln(w, "\nThe configuration of the tenant has it already; the cluster does not.")
	default:
		fmt.Fprintf(w, "\nChanges of %s in %s:\n", console.SanitizeLine(review.Difference.File), console.SanitizeLine(review.Difference.Repository))
		for line := range strings.SplitSeq(strings.TrimSuffix(text.SanitizeDiff(review.Difference.Unified), "\n"), "\n") {
			fmt.Fprintln(w, "  "+line)
		}
	}
	fmt.Fprintln(w)
	for _, step := range plan.Steps {
		fmt.Fprintf(w, "  - %s\n", step.Title)
	}
}

// printNext prints what the controller does when, and where that is seen.
func printNext(w io.Writer, cluster string, plan upgrade.ManagedPlan) {
	managed := plan.Review.Managed.With(plan.Review.Wanted)
	if plan.Request.Suspend {
		fmt.Fprintln(w, "No window updates it until: exoshift upgrade "+console.SanitizeLine(cluster)+" --resume")
		return
	}
	what := "the newest release that the channel recommends"
	if plan.Request.To != "" {
		what = console.SanitizeLine(plan.Request.To) + ", if that is the newest that the channel recommends then"
	}
	if len(managed.ListActive()) == 0 {
		fmt.Fprintln(w, "No window updates it: the UpgradeConfigs are suspended, which --resume ends.")
	} else {
		fmt.Fprintf(w, "The upgrade controller takes %s,\nin its next window: %s\n", what, cmp.Or(console.SanitizeLine(upgrade.DescribeWindow(managed)), "see the UpgradeConfig"))
	}
	fmt.Fprintf(w, "See it with:\n  exoshift upgrade %s\n  oc -n appuio-openshift-upgrade-controller get upgradeconfigs,upgradejobs\n", console.SanitizeLine(cluster))
}

type scheduleLine struct {
	Type string `json:"type"` // schedule
	state.Schedule
}

type differenceLine struct {
	Type       string `json:"type"` // difference
	Repository string `json:"repository"`
	File       string `json:"file"`
	Unified    string `json:"unified"`
	Unseen     string `json:"unseen,omitempty"` // why it is not known
}

// writeManagedJSON writes the windows, what would be changed, the steps, and the cluster with its updates.
func writeManagedJSON(w io.Writer, plan upgrade.ManagedPlan) error {
	encoder := json.NewEncoder(w)
	for _, one := range plan.Review.Managed.Schedules {
		if err := encoder.Encode(scheduleLine{"schedule", one}); err != nil {
			return err
		}
	}
	if change := plan.Review.Difference; change.Unified != "" || plan.Review.Unseen != "" {
		if err := encoder.Encode(differenceLine{"difference", change.Repository, change.File, change.Unified, plan.Review.Unseen}); err != nil {
			return err
		}
	}
	for _, step := range plan.Steps {
		if err := encoder.Encode(stepLine{"step", step.ID, step.Title}); err != nil {
			return err
		}
	}
	return writeUpdatesJSON(w, plan.Review.Status)
}
