package nodeverbs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/install"
	"exoshift/state"
)

// defaultTimeout is after how long the machine config operator reports that it cannot drain a node.
const defaultTimeout = time.Hour

func newRemoveCommand(std cli.Streams) *cobra.Command {
	var wanted nodes.Removal
	cmd := &cobra.Command{
		Use:   "remove [ID] NODE...",
		Short: "Drain nodes, and delete them with their machines",
		Long: `Drain nodes, and delete them with their machines. The answers in the cluster's folder get the smaller count, and with Project Syn
the configuration of the tenant, too.

For each node: it is cordoned, its pods are evicted within their disruption budgets, its machine is stopped, the node and the
machine are deleted. What blocks an eviction is named and asked for again until --timeout. Until a node is drained, a failure or
Ctrl-C ends its cordon; from then on its removal can only be ended, by the same command.

Refused are masters, less than three workers or storage nodes, the last node of a group, less nodes than the routers need, and any
removal from a cluster that is not well.`,
		Example: `  exoshift nodes remove worker-3 --dry-run
  exoshift nodes remove c-demo-1 worker-3 worker-4 --yes
  exoshift nodes remove --state s3://fleet/prod?endpoint=https://sos-ch-gva-2.exo.io c-demo-1 worker-3 --yes`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeNodes(std, state.Spec.ComputeNodes),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, names, err := bindNodes(cmd, args, std, &wanted)
			if err != nil {
				return err
			}
			wanted.Names = names
			return carryOut(cmd.Context(), o, std, verb{name: "remove", done: "removed", question: "Remove them?"}, wanted,
				func(ctx context.Context, cluster nodes.Cluster, wanted nodes.Removal, install nodes.Installer, shown nodes.Display) error {
					return cluster.Remove(ctx, wanted, install, shown)
				})
		},
	}
	addRemovalFlags(cmd, &wanted)
	return cmd
}

// addRemovalFlags adds the flags of all verbs that remove nodes.
func addRemovalFlags(cmd *cobra.Command, wanted *nodes.Removal) {
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cli.AddYesFlag(cmd, cmd.Name()+" them without asking")
	cli.AddScreenFlags(cmd)
	cmd.Flags().BoolVar(&wanted.DryRun, "dry-run", false, "show what would be changed; change nothing")
	cmd.Flags().DurationVar(&wanted.Timeout, "timeout", defaultTimeout, "time limit for the evictions from one node")
	cmd.Flags().BoolVar(&wanted.DeleteEmptyDir, "delete-emptydir-data", false, "also evict pods that lose what they keep on the node itself")
	cmd.Flags().BoolVar(&wanted.Force, "force", false, "also end pods that nobody makes again")
	cmd.Flags().IntVar(&wanted.Parallel, "parallel", 1, "how many nodes are drained at a time")
	cmd.Flags().String("at", "", "begin not before this time, as in RFC 3339")
	cmd.Flags().BoolVar(&wanted.Window.Maintenance, "maintenance", false, "begin with the next maintenance window of the answers (syn.facts.maintenance_window)")
}

// addBackupFlags adds the flags of verbs that change masters.
func addBackupFlags(cmd *cobra.Command, wanted *nodes.Removal) {
	cmd.Flags().StringVar(&wanted.Backup.Folder, "etcd-backup", "", "for masters: the folder with the backup of etcd by cluster-backup.sh")
	cmd.Flags().BoolVar(&wanted.Backup.Without, "without-backup", false, "for masters: do without a backup of etcd")
	cmd.MarkFlagsMutuallyExclusive("etcd-backup", "without-backup")
}

// bindNodes takes the first argument for the cluster's ID with --state, or if it is the ID of a cluster of this machine.
func bindNodes(cmd *cobra.Command, args []string, std cli.Streams, wanted *nodes.Removal) (o cli.Options, names []string, err error) {
	if o, err = cli.Bind(cmd, std); err != nil {
		return o, nil, err
	}
	names = args
	if o.State != nil {
		names = args[1:]
	} else if folder, unknown := clusterdir.FindID(args[0]); unknown == nil && !cmd.Flags().Changed("dir") {
		o.Dir, names = folder.Path(), args[1:]
	}
	if len(names) == 0 {
		return o, nil, exit.WithCode(exit.Usage, errors.New("name the nodes to "+cmd.Name()+"; exoshift nodes list shows them"))
	}
	return o, names, bindLimits(cmd, wanted)
}

// bindLimits reads when and how fast nodes are removed.
func bindLimits(cmd *cobra.Command, wanted *nodes.Removal) (err error) {
	if wanted.Parallel < 1 {
		return exit.WithCode(exit.Usage, fmt.Errorf("--parallel %d: it is at least 1", wanted.Parallel))
	}
	if wanted.Timeout <= 0 {
		return exit.WithCode(exit.Usage, fmt.Errorf("--timeout %s: it is longer than 0", wanted.Timeout))
	}
	at := cmd.Flag("at").Value.String()
	switch {
	case at == "":
		return nil
	case wanted.Window.Maintenance:
		return exit.WithCode(exit.Usage, errors.New("--at and --maintenance exclude each other"))
	}
	if wanted.Window.At, err = time.Parse(time.RFC3339, at); err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("--at %s: give a time as in RFC 3339, such as 2027-03-09T22:00:00+01:00", at))
	}
	return nil
}

// verb is one of those that remove nodes, with its words.
type verb struct {
	name     string
	done     string   // what the nodes are then
	question string   // before anything is changed
	flags    []string // of this verb alone, as they were given
	nameless bool     // it takes no names of nodes
}

// carryOut opens the cluster, and has it do what the verb is for.
func carryOut(ctx context.Context, o cli.Options, std cli.Streams, v verb, wanted nodes.Removal, do func(context.Context, nodes.Cluster, nodes.Removal, nodes.Installer, nodes.Display) error) error {
	wanted.Program = o.Program
	return cli.RunOnCluster(ctx, o, std, "nodes "+v.name, !wanted.DryRun, func(ctx context.Context, o cli.Options) error {
		return cli.WithCluster(ctx, o, !wanted.DryRun, func(cluster nodes.Cluster) error {
			wanted.ReadKeys = func(ctx context.Context) (backup.Keys, error) { return cli.ReadBackupKeys(ctx, o, std, nil) }
			wanted.FormatRetry = func(names []string) string { return formatRetry(o, v, wanted, names) }
			return do(ctx, cluster, wanted, newInstaller(o, cluster), removalDisplay{o.NewDisplay(std), o, v, cluster.Spec.Cluster.ID, wanted.DryRun})
		})
	})
}

func formatRetry(o cli.Options, v verb, wanted nodes.Removal, names []string) string {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // these verbs have no such flags
	more := slices.Clone(v.flags)
	if !v.nameless {
		more = append(more, names...)
	}
	if wanted.Timeout != defaultTimeout {
		more = append(more, "--timeout", wanted.Timeout.String())
	}
	if wanted.DeleteEmptyDir {
		more = append(more, "--delete-emptydir-data")
	}
	if wanted.Force {
		more = append(more, "--force")
	}
	if wanted.Parallel > 1 {
		more = append(more, "--parallel", strconv.Itoa(wanted.Parallel))
	}
	if wanted.Backup.Folder != "" {
		more = append(more, "--etcd-backup", wanted.Backup.Folder)
	}
	if wanted.Backup.Without {
		more = append(more, "--without-backup")
	}
	return o.FormatCommand("nodes "+v.name, more...)
}

// removalDisplay shows a removal on the streams of the process.
type removalDisplay struct {
	cli.Display
	options cli.Options
	verb    verb
	cluster string
	dryRun  bool
}

// ShowPlan prints what would be changed: for programs only if nothing else follows.
func (d removalDisplay) ShowPlan(plan nodes.Plan) error {
	switch {
	case !d.Output.IsJSON():
		printPlan(d.Std.Out, d.cluster, d.verb, plan)
	case d.dryRun:
		return writePlanJSON(d.Std.Out, plan)
	}
	return nil
}

// Confirm asks for a yes; without a terminal --yes is required.
func (d removalDisplay) Confirm(ctx context.Context) error {
	return d.Ask(ctx, d.options, "\n"+d.verb.question, "to "+d.verb.name+" these nodes")
}

// Close prints how it ended.
func (d removalDisplay) Close(plan nodes.Plan, failure error, events string) {
	if !d.Output.IsJSON() {
		d.PrintFailure(failure)
		printSummary(d.Std.Out, d.verb, plan, failure)
	}
	d.Std.EndRun(d.options.FormatRecord(events), func(string) {})
}
