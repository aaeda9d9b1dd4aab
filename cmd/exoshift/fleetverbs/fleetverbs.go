// Package fleetverbs has the verb `fleet`: how all clusters of shared state are, and whether those that are selected are healthy.
package fleetverbs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/fleet"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/console"
)

const (
	selectorName = "selector"
	refreshName  = "refresh"
)

// NewCommand returns the verb `fleet`.
func NewCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Show all clusters in shared state, and let a pipeline wait for healthy ones",
		Long: `Show all clusters in shared state, and let a pipeline wait for healthy ones.

What is shown is what the runs have kept of their clusters, and the last checks: "exoshift plan" on shared state, or --refresh.
Clusters are selected by their labels, the answers cluster.labels.`,
		Example: `  exoshift fleet status
  exoshift fleet gate --selector wave=1`,
		RunE: cli.RunGroup,
	}
	cmd.AddCommand(newStatusCommand(std), newGateCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

func newStatusCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show all clusters in shared state",
		Long: `Show all clusters in shared state: version, phase, the last run and who runs it, nodes, findings, drift at the last check, when
the certificates to start it with end, cost, and the age of the last success. Neither the clusters nor the cloud are contacted.

With --refresh, each cluster that no run works on is compared with its answers and polled once, and what is found is kept as its
last check; clusters that only Lieutenant knows are listed, too. --output tui sorts, filters, and opens the dashboard of a cluster.`,
		Example: `  exoshift fleet status
  exoshift fleet status --selector stage=prod,region=west --refresh
  exoshift fleet status -o json | jq 'select(.drift)'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, end, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer end()
			return v.showStatus(cmd.Context())
		},
	}
	addFlags(cmd)
	cli.AddOutputFlag(cmd, "output format", cli.OutputTable, cli.OutputJSON, cli.OutputTUI)
	cmd.Flags().Bool("ascii", false, "use only ASCII characters")
	return cmd
}

func newGateCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gate --selector KEY=VALUE",
		Short: "Succeed only if all selected clusters are healthy and without drift",
		Long: `Succeed only if all selected clusters are healthy and without drift: so a pipeline goes on to its next wave.

A cluster is healthy if it is installed, its last run has succeeded, all of its nodes are ready, and nothing was found to be wrong.
It has no drift if its last check, or the installation after it, says so. The exit code is 5 otherwise, with the reasons, and 2 if
no cluster is selected.`,
		Example: `  exoshift fleet gate --selector wave=1
  exoshift fleet gate --selector wave=1 --refresh`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed(selectorName) {
				return exit.WithCode(exit.Usage, errors.New("name the clusters by their labels: --selector KEY=VALUE"))
			}
			v, end, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer end()
			return v.checkGate(cmd.Context())
		},
	}
	addFlags(cmd)
	return cmd
}

func addFlags(cmd *cobra.Command) {
	cli.AddStateFlag(cmd)
	cmd.Flags().StringArray(selectorName, nil, "clusters with these labels only: KEY=VALUE, several separated by commas")
	cmd.Flags().Bool(refreshName, false, "ask the clusters and the cloud first")
}

// view is a fleet that is shown.
type view struct {
	fleet    fleet.Fleet
	access   sharedstate.Access
	selector fleet.Selector
	options  cli.Options
	std      cli.Streams
}

func open(cmd *cobra.Command, std cli.Streams) (v view, end func(), err error) {
	o, err := cli.Bind(cmd, std)
	if err != nil {
		return v, nil, err
	}
	at, err := cli.ParseState(cmd)
	if err != nil {
		return v, nil, err
	}
	texts, _ := cmd.Flags().GetStringArray(selectorName)
	selector, err := fleet.ParseSelector(texts)
	if err != nil {
		return v, nil, err
	}
	net, err := o.OpenNetwork(cmd.Context())
	if err != nil {
		return v, nil, err
	}
	work, err := sharedstate.WorkPath()
	if err != nil {
		return v, nil, err
	}
	access := cli.NewAccess(at, net, std)
	place, end, err := access.Open(cmd.Context())
	if err != nil {
		return v, nil, err
	}
	v = view{fleet: fleet.Fleet{Place: place, Work: work, Now: time.Now}, access: access, selector: selector, options: o, std: std}
	if refresh, _ := cmd.Flags().GetBool(refreshName); refresh {
		v.fleet.Refresh = &fleet.Refresh{Host: o.Host, Net: net, Access: access.Person, Options: o.RunOptions(), Lookup: environment.LookupEnv}
	}
	return v, end, nil
}

// list prints the notes.
func (v view) list(ctx context.Context) ([]fleet.Cluster, error) {
	clusters, notes, err := v.fleet.List(ctx, v.selector)
	for _, note := range notes {
		fmt.Fprintf(v.std.Err, "note: %s\n", console.SanitizeLine(note))
	}
	return clusters, err
}

func (v view) checkGate(ctx context.Context) error {
	clusters, err := v.list(ctx)
	if err != nil {
		return err
	}
	gate := fleet.CheckGate(clusters)
	for _, c := range clusters {
		for _, reason := range gate.Faults[c.ID] {
			fmt.Fprintf(v.std.Out, "%s: %s\n", console.SanitizeLine(c.ID), console.SanitizeLine(reason))
		}
	}
	if err := gate.Err(); err != nil {
		return err
	}
	fmt.Fprintf(v.std.Out, "All %d selected clusters are healthy and without drift.\n", gate.Selected)
	return nil
}
