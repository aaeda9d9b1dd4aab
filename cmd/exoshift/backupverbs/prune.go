package backupverbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/backup"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/console"
	"exoshift/internal/text"
	provbackup "exoshift/provisioner/backup"
)

func newPruneCommand(std cli.Streams) *cobra.Command {
	var wanted backup.Deletion
	cmd := &cobra.Command{
		Use:   "prune [ID]",
		Short: "Delete the backups that no rule keeps, and what was interrupted",
		Long: `Delete the backups that neither --keep nor --keep-within keeps, and what interrupted backups have left: objects in the bucket, and their
pod in the cluster. The newest backup that was verified is always kept.`,
		Example: `  exoshift backup prune c-demo-1 --keep 7 --dry-run
  exoshift backup prune c-demo-1 --keep 7 --keep-within 720h --yes`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			switch kept := wanted.Retention; {
			case kept.Count < 0 || kept.Within < 0:
				return exit.WithCode(exit.Usage, errors.New("--keep and --keep-within are not negative"))
			case kept.Count == 0 && kept.Within == 0:
				return exit.WithCode(exit.Usage, errors.New("say which backups are kept: --keep N, or --keep-within DURATION, such as 720h"))
			}
			return prune(cmd.Context(), o, std, wanted)
		},
	}
	addClusterFlags(cmd)
	cmd.Flags().IntVar(&wanted.Retention.Count, "keep", 0, "keep so many of the newest backups")
	cmd.Flags().DurationVar(&wanted.Retention.Within, "keep-within", time.Duration(0), "keep the backups that are not older, such as 720h")
	cmd.Flags().BoolVar(&wanted.DryRun, "dry-run", false, "show what would be deleted; delete nothing")
	cli.AddYesFlag(cmd, "delete them without asking")
	cli.AddOutputFlag(cmd, "output format", cli.OutputAuto, cli.OutputTUI, cli.OutputPlain, cli.OutputJSON)
	return cmd
}

func prune(ctx context.Context, o cli.Options, std cli.Streams, wanted backup.Deletion) error {
	return cli.RunOnCluster(ctx, o, std, "backup prune", !wanted.DryRun, func(ctx context.Context, o cli.Options) error {
		return cli.WithCluster(ctx, o, !wanted.DryRun, func(opened nodes.Cluster) error {
			return backup.Cluster{Cluster: opened}.Prune(ctx, wanted, pruneDisplay{o.NewDisplay(std), o, wanted.DryRun})
		})
	})
}

// pruneDisplay shows a deletion on the streams of the process.
type pruneDisplay struct {
	cli.Display
	options cli.Options
	dryRun  bool
}

// pruneLine is what is done with a backup, or with what belongs to none.
type pruneLine struct {
	Type   string `json:"type"`   // backup, leftover or deleted
	Action string `json:"action"` // keep, delete or deleted
	Name   string `json:"name"`
}

// ShowPlan prints what would be deleted: for programs only if nothing else follows.
func (d pruneDisplay) ShowPlan(plan backup.PrunePlan) error {
	if d.Output.IsJSON() {
		return d.writePlanJSON(plan)
	}
	out := d.Std.Out
	fmt.Fprintf(out, "Bucket %s: %s kept, %s to delete\n", console.SanitizeLine(plan.Bucket), text.Plural(len(plan.Kept), "backup"), text.Plural(len(plan.Deleted), "backup"))
	for _, one := range plan.Deleted {
		fmt.Fprintf(out, "  %s  %s\n", console.SanitizeLine(one.Name), describeState(one))
	}
	if len(plan.Leftovers) > 0 {
		fmt.Fprintf(out, "Also %s of backups that were interrupted.\n", text.Plural(len(plan.Leftovers), "object"))
	}
	return nil
}

func (d pruneDisplay) writePlanJSON(plan backup.PrunePlan) error {
	if !d.dryRun {
		return nil
	}
	encoder := json.NewEncoder(d.Std.Out)
	var err error
	list := func(action string, all []provbackup.Backup) {
		for _, one := range all {
			err = errors.Join(err, encoder.Encode(pruneLine{"backup", action, one.Name}))
		}
	}
	list("keep", plan.Kept)
	list("delete", plan.Deleted)
	for _, key := range plan.Leftovers {
		err = errors.Join(err, encoder.Encode(pruneLine{"leftover", "delete", key}))
	}
	return err
}

// Confirm asks for a yes; without a terminal --yes is required.
func (d pruneDisplay) Confirm(ctx context.Context) error {
	return d.Ask(ctx, d.options, "\nDelete them?", "")
}

// Done prints what was deleted.
func (d pruneDisplay) Done(name string) {
	if d.Output.IsJSON() {
		_ = json.NewEncoder(d.Std.Out).Encode(pruneLine{"deleted", "deleted", name}) // nobody reads it any more
		return
	}
	fmt.Fprintf(d.Std.Out, "Deleted %s\n", console.SanitizeLine(name))
}

// Warn prints what could not be done.
func (d pruneDisplay) Warn(text string) {
	fmt.Fprintf(d.Std.Err, "exoshift: %s\n", console.SanitizeLine(text))
}
