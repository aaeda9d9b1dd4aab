package powerverbs

import (
	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/power"
)

func newRepairCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "repair",
		Short:   "Repair what keeps the nodes of a cluster from working",
		Long:    "Repair what keeps the nodes of a cluster from working, after they were off for too long.",
		Example: `  exoshift repair certificates c-demo-1 --dry-run`,
		RunE:    cli.RunGroup,
	}
	cmd.AddCommand(newRepairCertificatesCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

func newRepairCertificatesCommand(std cli.Streams) *cobra.Command {
	var wanted power.Request
	cmd := &cobra.Command{
		Use:   "certificates [ID]",
		Short: "Approve new certificates of nodes whose old ones ended while their machines were off",
		Long: `Approve new certificates of nodes whose old ones ended while their machines were off, and wait until everything is available.

It is for a cluster whose machines were stopped and started by other means; exoshift start does the same for machines that it starts.
The nodes that are not ready are shown, with the requests that wait. Only requests that come after the yes are approved, by the rules of an
installation: from the machine of the node, by its age, its name and every address, for a node that exists and is not ready. A kubelet
without a certificate asks every 15 minutes.

Refused is a cluster with machines that do not run, and one that exoshift stop has stopped. The same command goes on with a repair that was interrupted.`,
		Example: `  exoshift repair certificates c-demo-1 --dry-run
  exoshift repair certificates c-demo-1 --yes`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return carryOut(cmd.Context(), o, std, power.VerbRepair, wanted)
		},
	}
	addFlags(cmd, &wanted, "approve without asking")
	return cmd
}
