package recoververbs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"exoshift/cmd/exoshift/cli"
	app "exoshift/internal/app/recovery"
	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/provisioner/recovery"
)

// display shows a recovery on the streams of the process.
type display struct {
	cli.VerbDisplay
	confirm string // the ID that --confirm-restore has
}

// ShowPlan prints what would be changed: for programs only if nothing else follows.
func (d display) ShowPlan(plan app.Plan) error {
	return d.Show(func(w io.Writer) { printPlan(w, d.Cluster, plan) }, func(w io.Writer) error { return writePlanJSON(w, plan) })
}

// Confirm asks for a yes, without a terminal for --yes; before a backup overwrites anything, it asks for the ID of the cluster, and --yes does not
// suffice.
func (d display) Confirm(ctx context.Context, plan app.Plan) error {
	switch {
	case plan.Backup != nil && plan.Restored && d.confirm == d.Cluster:
		return nil
	case plan.Backup != nil && plan.Restored:
		return d.Ask(ctx, d.Options, "\nGo on with it? New machines cost money.", "")
	case plan.Backup != nil:
		return d.AskID(ctx, d.newOverwrite())
	}
	return d.Ask(ctx, d.Options, "\nRecover it? What was not written to the member that is left is lost, and new machines cost money.", "")
}

// checkConfirmation checks the flag before anything is contacted. What was restored already is not overwritten any more.
func (d display) checkConfirmation(restored bool) error {
	if d.DryRun || restored {
		return nil
	}
	return d.Check(d.newOverwrite())
}

func (d display) newOverwrite() cli.Overwrite {
	return cli.Overwrite{Cluster: d.Cluster, Confirmed: d.confirm, Flag: "--confirm-restore",
		Lost: "\nWhatever was written after the backup is lost for good, also where a master\nstill has it.\nType the cluster ID to overwrite its etcd: "}
}

// Close prints how it ended.
func (d display) Close(plan app.Plan, failure error, events string) {
	d.End(failure, events, func(w io.Writer) { printEnd(w, d.Cluster, plan, failure) })
}

func printPlan(w io.Writer, cluster string, plan app.Plan) {
	if of := plan.Backup; of == nil {
		fmt.Fprintf(w, "Cluster %s: recover etcd from the member on %s\n\n", console.SanitizeLine(cluster), console.SanitizeLine(plan.From))
	} else {
		fmt.Fprintf(w, "Cluster %s: recover etcd from the backup %s, on %s\n\n", console.SanitizeLine(cluster), console.SanitizeLine(of.Name), console.SanitizeLine(plan.From))
		fmt.Fprintf(w, "The backup was read back: etcd's revision %d of %s, OpenShift %s.\n\n", of.Etcd.Revision, of.Created.UTC().Format("2006-01-02 15:04 MST"),
			console.SanitizeLine(cmp.Or(of.OpenShift, "of a release that it does not name")))
	}
	if plan.Begun {
		fmt.Fprint(w, "It was begun, and goes on.\n\n")
	}
	if plan.Review.API != "" {
		fmt.Fprintf(w, "The API does not answer:\n  %s\n\n", console.SanitizeLine(plan.Review.API))
	}
	for _, host := range plan.Review.Hosts {
		fmt.Fprintf(w, "  %-12s %s\n", console.SanitizeLine(host.Name), console.SanitizeLine(recovery.DescribeHost(host)))
	}
	if found := plan.Review.Finding; found != nil {
		fmt.Fprintf(w, "\n%s: %s\n", found.Rule, found.Cause)
	} else if len(plan.Review.Hosts) > 0 {
		fmt.Fprint(w, "\nWhat the masters say of etcd is read once SSH is open, and decides then.\n")
	}
	fmt.Fprintln(w)
	for _, step := range plan.Steps {
		fmt.Fprintf(w, "  - %s\n", console.SanitizeLine(step.Title))
	}
	fmt.Fprint(w, "\nA master whose member is back by itself is not replaced.\n")
	if plan.Backup == nil || plan.Restored {
		return
	}
	fmt.Fprint(w, "Whatever the cluster was told after the backup is gone then.\n")
	if newer := recovery.DescribeNewer(plan.Review.Hosts); newer != "" {
		fmt.Fprintf(w, "%s.\n", console.SanitizeLine(newer))
	} else {
		fmt.Fprint(w, "If a master still has the data of etcd, --from-member loses less.\n")
	}
}

// printEnd prints how it ended, and what is left to do.
func printEnd(w io.Writer, cluster string, plan app.Plan, failure error) {
	if failure != nil {
		fmt.Fprintf(w, "\nResume with:\n  %s\n", console.SanitizeLine(plan.Retry))
		return
	}
	fmt.Fprintf(w, "\nEvery master of cluster %s has a healthy member of etcd.\n", console.SanitizeLine(cluster))
	if plan.Backup == nil {
		fmt.Fprint(w, "Make a backup of etcd now, and see what was written last before the loss.\n")
		return
	}
	fmt.Fprintf(w, "It is as it was at %s. What is newer has to be done again: API\nkeys that were replaced since (exoshift rotate api-keys), volumes and nodes of\nlater, and what Argo CD or people have applied. Make a backup of etcd now.\n",
		plan.Backup.Created.UTC().Format("2006-01-02 15:04 MST"))
}

type etcdLine struct {
	Type    string               `json:"type"`           // etcd
	API     string               `json:"api"`            // why it does not answer
	From    string               `json:"from_member"`    // "": a backup is restored
	Backup  string               `json:"from,omitempty"` // its name
	Host    string               `json:"recovery_host,omitempty"`
	Begun   bool                 `json:"begun"`
	Finding string               `json:"finding"` // the rule; "": too little is known
	Members []provisioner.Member `json:"members"`
	Voters  int                  `json:"voters"`
	Quorum  int                  `json:"quorum"`
}

type memberLine struct {
	Type    string `json:"type"` // member
	Master  string `json:"master"`
	Machine string `json:"machine"` // its state
	Known   bool   `json:"known"`
	State   string `json:"state"`
	Reason  string `json:"reason"`
	Data    bool   `json:"data"`
	Index   uint64 `json:"index"`
}

type stepLine struct {
	Type  string `json:"type"` // step
	ID    string `json:"id"`
	Title string `json:"title"`
}

// writePlanJSON writes the plan for programs, a line each: etcd, what each master says, the steps.
func writePlanJSON(w io.Writer, plan app.Plan) error {
	event := recovery.DescribeHosts(plan.Review.Hosts)
	line := etcdLine{Type: "etcd", API: plan.Review.API, From: plan.From, Begun: plan.Begun, Members: event.Members, Voters: *event.Voters, Quorum: *event.Quorum}
	if plan.Backup != nil {
		line.From, line.Backup, line.Host = "", plan.Backup.Name, plan.From
	}
	if found := plan.Review.Finding; found != nil {
		line.Finding = found.Rule
	}
	encoder := json.NewEncoder(w)
	if err := encoder.Encode(line); err != nil {
		return err
	}
	for _, host := range plan.Review.Hosts {
		if err := encoder.Encode(memberLine{"member", host.Name, host.Machine, host.IsKnown(), host.State(), host.Failure, host.Data, host.Index}); err != nil {
			return err
		}
	}
	for _, step := range plan.Steps {
		if err := encoder.Encode(stepLine{"step", step.ID, step.Title}); err != nil {
			return err
		}
	}
	return nil
}
