package stateverbs

import (
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/console"
)

// NewMachineListCommand returns the verb `list`, of the clusters of this machine.
func NewMachineListCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the clusters and drafts of this machine",
		Long: `List the clusters and drafts of this machine: those in $XDG_STATE_HOME/exoshift, or ~/.local/state/exoshift. No service is
contacted. With --output json, each is an object on a line of its own.`,
		Example: "  exoshift list\n  exoshift list -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := cli.Bind(cmd, std)
			if err != nil {
				return err
			}
			clusters, err := clusterdir.List()
			if err != nil {
				return err
			}
			if o.Output.IsJSON() {
				return console.WriteClustersJSON(std.Out, clusters)
			}
			return console.PrintClusters(std.Out, clusters, time.Now())
		},
	}
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON)
	return cmd
}
