package nodeverbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/provisioner/install"
)

func newAddCommand(std cli.Streams) *cobra.Command {
	var wanted nodes.Addition
	cmd := &cobra.Command{
		Use:   "add [ID] --group GROUP --count N",
		Short: "Add nodes to a group, with their machines",
		Long: `Add nodes to a group, with their machines. The answers in the cluster's folder get the larger count.

A group is named as in the answers: workers, infra, storage, or the name of an extra group. The names that removals left free are
used first. Nothing is created before the plan with its cost is confirmed, and an addition that was interrupted is ended by
exoshift install.

Where storage nodes have Rook and Ceph, they are added one at a time: Ceph has to be well; its alerts are silenced and the
synchronization by Argo CD is switched off meanwhile; the node joins, Ceph uses its disk, and the command ends once every placement
group is clean and everything is switched back. With Project Syn, the configuration of the tenant has to want the disk first. An
addition of a storage node that was interrupted is ended by the same command.

Refused are masters, load balancers, and any addition to a cluster that differs from its answers already, or has machines that have
not joined it yet.`,
		Example: `  exoshift nodes add --group workers --count 2 --dry-run
  exoshift nodes add c-demo-1 --group workers --count 2 --yes
  exoshift nodes add c-demo-1 --group storage --count 1`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			if wanted.Group == "" || wanted.Count < 1 {
				return exit.WithCode(exit.Usage, errors.New("give --group, and --count with at least 1; see: exoshift nodes add --help"))
			}
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return cli.RunOnCluster(cmd.Context(), o, std, "nodes add", !wanted.DryRun, func(ctx context.Context, o cli.Options) error {
				return add(ctx, o, std, wanted)
			})
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cli.AddYesFlag(cmd, "create them without asking")
	cli.AddScreenFlags(cmd)
	cmd.Flags().StringVar(&wanted.Group, "group", "", "the group, as in the answers")
	cmd.Flags().IntVar(&wanted.Count, "count", 0, "how many nodes to add")
	cmd.Flags().BoolVar(&wanted.DryRun, "dry-run", false, "show what would be created; change nothing")
	return cmd
}

func add(ctx context.Context, o cli.Options, std cli.Streams, wanted nodes.Addition) error {
	return cli.WithCluster(ctx, o, !wanted.DryRun, func(cluster nodes.Cluster) error {
		wanted.Installer, wanted.Program, wanted.Retry = newInstaller(o, cluster), o.Program, formatAddition(o, wanted)
		return cluster.Add(ctx, wanted, additionDisplay{o.NewDisplay(std), o, wanted, &nodes.AdditionPreview{}})
	})
}

// formatAddition returns the command that goes on with an addition.
func formatAddition(o cli.Options, wanted nodes.Addition) string {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // this verb has no such flags
	return o.FormatCommand("nodes add", "--group", wanted.Group, "--count", strconv.Itoa(wanted.Count))
}

// additionDisplay shows an addition on the streams of the process.
type additionDisplay struct {
	cli.Display
	options cli.Options
	wanted  nodes.Addition
	preview *nodes.AdditionPreview
}

// ShowPreview prints what would be created: for programs only if nothing else follows.
func (d additionDisplay) ShowPreview(preview nodes.AdditionPreview) error {
	*d.preview = preview
	switch {
	case !d.Output.IsJSON():
		out := d.Output.WrapWriter(d.Std.Out)
		fmt.Fprintf(out, "Add %s to %s: %s\n\n", text.Plural(len(preview.Names), "node"), console.SanitizeLine(d.wanted.Group), console.SanitizeLine(strings.Join(preview.Names, ", ")))
		console.PrintPlan(out, preview.Spec, preview.Preview)
		printSteps(out, preview)
	case d.wanted.DryRun:
		return errors.Join(console.WritePlanJSON(d.Std.Out, nil, preview.Preview), writeStepsJSON(d.Std.Out, preview.Steps))
	}
	return nil
}

// printSteps prints what is done with Ceph, too.
func printSteps(w io.Writer, preview nodes.AdditionPreview) {
	if len(preview.Steps) > 0 {
		fmt.Fprintln(w)
	}
	for _, warning := range preview.Warnings {
		fmt.Fprintf(w, "warning: Ceph reports %s\n", console.SanitizeLine(warning))
	}
	for _, step := range preview.Steps {
		fmt.Fprintf(w, "  - %s\n", console.SanitizeLine(step.Title))
	}
}

// Close prints how the installation ended that adds the nodes; its summary, if they are not added.
func (d additionDisplay) Close(end run.Outcome) {
	if d.Output.IsJSON() || end.Board.Run.Result != "ok" {
		d.Display.Close(end)
		return
	}
	result := "is added"
	if len(d.preview.Names) > 1 {
		result = "are added"
	}
	printAdded(d.Std.Out, *d.preview, result)
	d.Std.EndRun(d.options.FormatRecord(end.Events), end.Log)
}

// End prints how the addition of a storage node ended.
func (d additionDisplay) End(preview nodes.AdditionPreview, failure error, events string) {
	if !d.Output.IsJSON() {
		d.PrintFailure(failure)
		if failure != nil {
			fmt.Fprintf(d.Std.Out, "\n%s is not added yet. Resume with:\n  %s\n", formatNames(preview), console.SanitizeLine(preview.Retry))
		} else {
			printAdded(d.Std.Out, preview, "is added, and Ceph uses its disk")
		}
	}
	d.Std.EndRun(d.options.FormatRecord(events), func(string) {})
}

func printAdded(w io.Writer, preview nodes.AdditionPreview, result string) {
	fmt.Fprintf(w, "\n%s %s.\n", formatNames(preview), result)
	printChanges(w, preview.Changes)
}

func formatNames(preview nodes.AdditionPreview) string {
	return console.SanitizeLine(strings.Join(preview.Names, ", "))
}

// Confirm asks for a yes; without a terminal --yes is required.
func (d additionDisplay) Confirm(ctx context.Context) error {
	return d.Ask(ctx, d.options, "\nCreate them? They cost money from now on.", "to add these nodes")
}
