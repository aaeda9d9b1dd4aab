package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fileread"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/tui/dashboard"
)

func newStatusCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status [ID]",
		Short: "Show a running or finished installation from its folder",
		Example: `  exoshift status
  exoshift status c-demo-1
  exoshift status c-demo-1 -o json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return runStatus(cmd.Context(), o, std)
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddScreenFlags(cmd)
	cli.AddAccessibleFlag(cmd)
	return cmd
}

func runStatus(ctx context.Context, o cli.Options, std cli.Streams) error {
	folder, err := clusterdir.Find(o.Dir)
	if err != nil {
		return err
	}
	spec, err := clusterdir.ReadAnswers(folder)
	if err != nil {
		return err
	}
	board := provisioner.NewBoard(install.Steps(spec))
	if err := clusterdir.ReadEvents(folder, board.Fold); err != nil {
		return err
	}
	killed := board.Run.State == provisioner.Started && !folder.IsLocked()
	if o.Output == cli.OutputTUI && !killed {
		return watch(ctx, folder, spec, o.ASCII, std)
	}
	facts, err := folder.LoadFacts()
	if err != nil {
		return err
	}
	if o.Output.IsJSON() {
		return json.NewEncoder(std.Out).Encode(map[string]any{"v": provisioner.Version, "type": "status", "board": board, "facts": facts})
	}
	console.PrintStatus(o.Output.WrapWriter(std.Out), board, facts, folder.Path())
	if killed {
		fmt.Fprintln(std.Out, "Nobody is at work on it: the last run was killed. The same command goes on.")
	}
	return nil
}

// watch shows the dashboard of a run of another process. It reads the events of that run only, so it can be started and
// stopped at any time.
func watch(ctx context.Context, folder state.Folder, spec state.Spec, ascii bool, std cli.Streams) error {
	file, err := fileread.Open(folder.Path(state.EventsFile), fileread.Lines)
	if err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("read the events: %w", err))
	}
	defer file.Close()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	events := make(chan provisioner.Event, 256)
	go clusterdir.FollowEvents(ctx, file, events)
	err = dashboard.Run(ctx, dashboard.Options{
		Title:    spec.Cluster.ID,
		Subtitle: cli.FormatSubtitle(folder, spec),
		Plan:     install.Steps(spec),
		Nodes:    spec.Nodes(),
		Events:   events,
		In:       std.In,
		Out:      std.TerminalWriter(),
		ASCII:    ascii,
		Handover: func() handover.Report { return clusterdir.DescribeHandover(folder, spec, true) },
	})
	if errors.Is(err, dashboard.ErrLeft) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
