package nodeverbs

import (
	"context"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/nodes"
	"exoshift/state"
)

func newReplaceCommand(std cli.Streams) *cobra.Command {
	var wanted nodes.Removal
	cmd := &cobra.Command{
		Use:   "replace [ID] NODE...",
		Short: "Replace nodes: add a new one for each, then drain and delete the old one; or load balancers",
		Long: `Replace nodes: for each, a new one of its group is added; once that is ready, the old one is drained, and deleted with its machine.

The new node has the lowest free name of the group, and the counts of the answers stay as they are. --parallel is how many nodes are
replaced at a time, each with one machine more meanwhile. What is interrupted is ended by the same command: nothing is added twice.

Load balancers, such as lb-0, are replaced one after the other, in a command of their own: the other one is proven to serve, from
outside and from a node; it is left both elastic IPs; the machine is deleted and started again under the same name, and proven to serve.
Refused is that while nodes join or restart, and while the other one does not serve.

Masters are replaced in a command of their own, too, one after the other: a master is drained and its machine stopped; its node, its member
of etcd and the member's certificates are deleted, then its machine; a new one of the same name is made, until etcd has three healthy
members again, and every master the latest revision of the API server. Refused is that unless the two others are healthy members, ready,
and at the latest revisions. A backup is required: one of exoshift backup that was verified within a day, or else it is made first;
--etcd-backup names one that cluster-backup.sh made, and --without-backup does without.

Refused are a worker whose machine is gone, and any replacement in a cluster that is not well, or that differs from its answers already.`,
		Example: `  exoshift nodes replace worker-3 --dry-run
  exoshift nodes replace c-demo-1 worker-3 worker-4 --yes
  exoshift nodes replace lb-0 lb-1 --yes
  exoshift nodes replace c-demo-1 master-1 --etcd-backup ./backup --delete-emptydir-data`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeNodes(std, state.Spec.Nodes),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, names, err := bindNodes(cmd, args, std, &wanted)
			if err != nil {
				return err
			}
			wanted.Names = names
			return carryOut(cmd.Context(), o, std, verb{name: "replace", done: "replaced", question: questionReplace}, wanted,
				func(ctx context.Context, cluster nodes.Cluster, wanted nodes.Removal, install nodes.Installer, shown nodes.Display) error {
					return cluster.Replace(ctx, wanted, install, shown)
				})
		},
	}
	addRemovalFlags(cmd, &wanted)
	addBackupFlags(cmd, &wanted)
	return cmd
}

const questionReplace = "Replace them? The new machines cost money from now on."
