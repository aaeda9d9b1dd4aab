// Package nodeverbs has the verb `nodes` with those below it, which look after the nodes of an installed cluster.
package nodeverbs

import (
	"context"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/nodes"
	"exoshift/provisioner/install"
)

// NewCommand returns the verb `nodes`.
func NewCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "nodes",
		Short: "List the nodes of an installed cluster, add, remove, replace and resize some",
		Long: `List the nodes of an installed cluster, add, remove, replace and resize some.

The folder of a rehearsal is recognized: the verbs then work on its simulated zone.`,
		Example: `  exoshift nodes list c-demo-1
  exoshift nodes add c-demo-1 --group workers --count 2
  exoshift nodes remove worker-3 -d ~/.local/state/exoshift/c-demo-1 --dry-run`,
		RunE: cli.RunGroup,
	}
	cmd.AddCommand(newListCommand(std), newAddCommand(std), newRemoveCommand(std), newReplaceCommand(std), newResizeCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

// newInstaller returns what makes the machines of nodes that are added, in the folder of the cluster.
func newInstaller(o cli.Options, cluster nodes.Cluster) nodes.Installer {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // these verbs have no such flags
	if o.State == nil {
		o.Dir = cluster.Folder.Path()
	}
	return nodes.Installer{OpenRun: o.OpenRun, Options: o.RunOptions()}
}

func newListCommand(std cli.Streams) *cobra.Command {
	var wide bool
	cmd := &cobra.Command{
		Use:   "list [ID]",
		Short: "List the nodes of a cluster with their machines, and how they differ from the answers",
		Long: `List the nodes of a cluster with their machines, and how they differ from the answers; and its load balancers. Nothing is changed.

With --output json, each node is an object on a line of its own.`,
		Example: `  exoshift nodes list c-demo-1
  exoshift nodes list c-demo-1 -o json | jq 'select(.ready | not)'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return cli.RunOnCluster(cmd.Context(), o, std, "nodes list", false, func(ctx context.Context, o cli.Options) error {
				return list(ctx, o, std, wide)
			})
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cmd.Flags().BoolVar(&wide, "wide", false, "also show disks, configuration pools and the IDs of machines")
	cli.AddOutputFlag(cmd, "output format", cli.OutputAuto, cli.OutputTUI, cli.OutputPlain, cli.OutputJSON)
	return cmd
}

func list(ctx context.Context, o cli.Options, std cli.Streams, wide bool) error {
	return cli.WithCluster(ctx, o, false, func(cluster nodes.Cluster) error {
		all, err := cluster.List(ctx, wide)
		if err != nil {
			return err
		}
		pair, err := cluster.ListBalancers(ctx, wide)
		if err != nil {
			return err
		}
		all = append(all, pair...)
		if o.Output.IsJSON() {
			return writeNodesJSON(std.Out, all)
		}
		return printNodes(std.Out, all, cluster.Now(), wide)
	})
}
