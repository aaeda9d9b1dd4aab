package nodeverbs

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/state"
)

func newResizeCommand(std cli.Streams) *cobra.Command {
	var wanted nodes.Removal
	var size nodes.Size
	cmd := &cobra.Command{
		Use:   "resize [ID] --group GROUP (--type TYPE | --disk GIB)",
		Short: "Give the nodes of a group another type or disk",
		Long: `Replace the nodes of a group by others with another instance type, or with a larger disk. The answers in the cluster's folder get the
new size.

The nodes are replaced one after the other, as exoshift nodes replace does it: the group never has less nodes than before. What is
interrupted is ended by the same command. Nodes that have the size already are left alone.

The machines of masters stay: one after the other is drained, stopped, given the type, and started, and etcd has three healthy members in
between. What is required of etcd is as for exoshift nodes replace.

A group is named as in the answers: controlPlane, workers, infra, or the name of an extra group. --disk is the whole disk of a machine, as
exoshift nodes list --wide shows it. Refused are storage nodes, a type of another family, a smaller disk, and another disk of masters.`,
		Example: `  exoshift nodes resize --group workers --type standard.huge --dry-run
  exoshift nodes resize c-demo-1 --group infra --disk 200 --yes
  exoshift nodes resize c-demo-1 --group controlPlane --type standard.huge --etcd-backup ./backup`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			if size.Group == "" || (size.Type == "") == (size.Disk == 0) || size.Disk < 0 {
				return exit.WithCode(exit.Usage, errors.New("give --group, and either --type or --disk; see: exoshift nodes resize --help"))
			}
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			if err := bindLimits(cmd, &wanted); err != nil {
				return err
			}
			v := verb{name: "resize", done: "replaced", question: questionReplace, nameless: true, flags: []string{"--group", size.Group}}
			if size.Group == state.FormatGroup(state.RoleMaster) {
				v.done, v.question = "resized", "Stop and resize them, one after the other?"
			}
			if size.Type != "" {
				v.flags = append(v.flags, "--type", size.Type)
			} else {
				v.flags = append(v.flags, "--disk", strconv.Itoa(size.Disk))
			}
			return carryOut(cmd.Context(), o, std, v, wanted,
				func(ctx context.Context, cluster nodes.Cluster, wanted nodes.Removal, install nodes.Installer, shown nodes.Display) error {
					return cluster.Resize(ctx, size, wanted, install, shown)
				})
		},
	}
	addRemovalFlags(cmd, &wanted)
	addBackupFlags(cmd, &wanted)
	cmd.Flags().StringVar(&size.Group, "group", "", "the group, as in the answers")
	cmd.Flags().StringVar(&size.Type, "type", "", "the instance type that the machines are to have")
	cmd.Flags().IntVar(&size.Disk, "disk", 0, "the disk that the machines are to have, in GiB")
	return cmd
}
