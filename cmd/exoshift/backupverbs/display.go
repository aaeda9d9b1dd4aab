package backupverbs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/backup"
	"exoshift/internal/console"
	"exoshift/internal/text"
	provbackup "exoshift/provisioner/backup"
	"exoshift/state"
)

// display shows how a backup is made on the streams of the process.
type display struct{ cli.VerbDisplay }

type planLine struct {
	Type       string   `json:"type"` // backup
	Action     string   `json:"action"`
	Bucket     string   `json:"bucket"`
	Recipients []string `json:"recipients"`
	Decrypts   bool     `json:"decrypts"`
}

type stepLine struct {
	Type  string `json:"type"` // step
	ID    string `json:"id"`
	Title string `json:"title"`
}

// ShowPlan prints what would be done: for programs only if nothing else follows.
func (d display) ShowPlan(plan backup.Plan) error {
	return d.Show(func(w io.Writer) { printPlan(w, d.Cluster, plan) }, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		err := encoder.Encode(planLine{"backup", "create", plan.Bucket, plan.Recipients, plan.Decrypts})
		for _, step := range plan.Steps {
			err = errors.Join(err, encoder.Encode(stepLine{"step", step.ID, step.Title}))
		}
		return err
	})
}

func printPlan(w io.Writer, cluster string, plan backup.Plan) {
	fmt.Fprintf(w, "Cluster %s: a backup into the bucket %s\n\n", console.SanitizeLine(cluster), console.SanitizeLine(plan.Bucket))
	for _, step := range plan.Steps {
		fmt.Fprintf(w, "  - %s\n", step.Title)
	}
	fmt.Fprintf(w, "\nIt is encrypted to %s:\n", text.Plural(len(plan.Recipients), "recipient"))
	for _, recipient := range plan.Recipients {
		fmt.Fprintf(w, "  %s\n", console.SanitizeLine(recipient))
	}
	if !plan.Decrypts {
		fmt.Fprint(w, "\nThere is no identity here to decrypt it with, so only what is stored is verified.\n")
	}
}

// Confirm asks for a yes; without a terminal --yes is required.
func (d display) Confirm(ctx context.Context) error {
	return d.Ask(ctx, d.Options, "\nMake it?", "")
}

// Close prints how it ended.
func (d display) Close(plan backup.Plan, made *provbackup.Backup, failure error, events string) {
	d.End(failure, events, func(w io.Writer) { printEnd(w, plan, made) })
}

func printEnd(w io.Writer, plan backup.Plan, made *provbackup.Backup) {
	if made == nil {
		fmt.Fprintf(w, "\nThere is no new backup. This makes one:\n  %s\n", console.SanitizeLine(plan.Retry))
		return
	}
	fmt.Fprintf(w, "\nBackup %s: etcd's revision %d, %s, %s stored.\n", made.Name, made.Etcd.Revision, text.Plural(made.Objects.Count, "object"), text.FormatSize(int(made.Sealed())))
	if !made.Verified.Decrypted {
		fmt.Fprint(w, "It was verified without decrypting it.\n")
	}
}

// States of backups.
const (
	stateVerified  = "verified"
	stateEncrypted = "verified encrypted" // it was not decrypted
	stateUnusable  = "unusable"
)

func describeState(one provbackup.Backup) string {
	switch {
	case !one.IsVerified():
		return stateUnusable
	case one.Verified.Decrypted:
		return stateVerified
	}
	return stateEncrypted
}

// printList prints a table of backups.
func printList(w io.Writer, spec state.Spec, all []provbackup.Backup, leftovers int, now time.Time) error {
	if len(all) == 0 {
		fmt.Fprintf(w, "No backups of %s in the bucket %s.\n", console.SanitizeLine(spec.Cluster.ID), console.SanitizeLine(spec.Bucket(state.BucketBackups)))
	} else {
		table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
		fmt.Fprintln(table, "NAME\tAGE\tOPENSHIFT\tREVISION\tSIZE\tSTATE")
		for _, one := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\n", console.SanitizeLine(one.Name), formatAge(now, one.Created), console.SanitizeLine(cmp.Or(one.OpenShift, "-")),
				one.Etcd.Revision, text.FormatSize(int(one.Sealed())), describeState(one))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		for _, one := range all {
			if one.Problem != "" {
				fmt.Fprintf(w, "%s: %s\n", console.SanitizeLine(one.Name), console.SanitizeLine(one.Problem))
			}
		}
	}
	if leftovers > 0 {
		fmt.Fprintf(w, "Also %s of backups that were interrupted: the next backup, or exoshift backup prune, deletes them.\n", text.Plural(leftovers, "object"))
	}
	return nil
}

func formatAge(now, created time.Time) string {
	if created.IsZero() {
		return "-"
	}
	switch age := now.Sub(created); {
	case age < 2*time.Hour:
		return fmt.Sprintf("%dm", int(age.Minutes()))
	case age < 48*time.Hour:
		return fmt.Sprintf("%dh", int(age.Hours()))
	default:
		return fmt.Sprintf("%dd", int(age.Hours()/24))
	}
}

// backupLine is a backup for programs.
type backupLine struct {
	Type  string `json:"type"`  // backup
	State string `json:"state"` // see the states of backups
	// Problem is why it is unusable.
	Problem string `json:"problem,omitempty"`
	// Reread is how it was read back now; without --verify there is none.
	Reread *reread `json:"reread,omitempty"`
	provbackup.Backup
}

type reread struct {
	Decrypted bool `json:"decrypted"`
}

func newBackupLine(one provbackup.Backup) backupLine {
	return backupLine{Type: "backup", State: describeState(one), Problem: one.Problem, Backup: one}
}

func writeListJSON(w io.Writer, all []provbackup.Backup) error {
	encoder := json.NewEncoder(w)
	for _, one := range all {
		if err := encoder.Encode(newBackupLine(one)); err != nil {
			return err
		}
	}
	return nil
}

// printBackup prints all that is known of a backup; decrypted is how it was read back, nil: it was not.
func printBackup(o cli.Options, std cli.Streams, one provbackup.Backup, decrypted *bool) error {
	if o.Output.IsJSON() {
		line := newBackupLine(one)
		if decrypted != nil {
			line.Reread = &reread{*decrypted}
		}
		return json.NewEncoder(std.Out).Encode(line)
	}
	table := tabwriter.NewWriter(std.Out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s:\t%s\n", name, console.SanitizeLine(fmt.Sprintf(format, args...)))
	}
	row("Name", "%s", one.Name)
	row("Cluster", "%s (%s)", one.Cluster, one.InfraID)
	row("Created", "%s", formatTime(one.Created))
	row("OpenShift", "%s", one.OpenShift)
	row("State", "%s", strings.TrimSuffix(describeState(one)+": "+one.Problem, ": "))
	row("Verified", "%s", describeVerification(one, decrypted))
	row("etcd", "revision %d, %d keys, hash %d, %s, by the member on %s", one.Etcd.Revision, one.Etcd.TotalKeys, one.Etcd.Hash, text.FormatSize(int(one.Etcd.TotalSize)), one.Etcd.Node)
	row("Objects", "%d", one.Objects.Count)
	for _, missing := range one.Objects.Missing {
		row("Not read", "%s", missing)
	}
	for _, part := range one.Parts {
		row("Part", "%s, %s", part.Name, text.FormatSize(int(part.Size)))
		row("Stored as", "%s", part.Object)
	}
	for _, recipient := range one.Recipients {
		row("Recipient", "%s", recipient)
	}
	return table.Flush()
}

func describeVerification(one provbackup.Backup, decrypted *bool) string {
	how := map[bool]string{true: "decrypted", false: "without decrypting it"}
	switch {
	case decrypted != nil:
		return "now, " + how[*decrypted]
	case one.Verified.At.IsZero():
		return "never"
	}
	return formatTime(one.Verified.At) + ", " + how[one.Verified.Decrypted]
}

func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 MST") }
