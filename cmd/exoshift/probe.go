package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"exoshift/internal/app/exit"
	"exoshift/internal/network"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe"
	"exoshift/wizard/reach/probe/connection"
)

// probeVerb is the hidden verb of remote runs: it reads a task from the standard input and writes a report to the standard
// output.
const probeVerb = "probe"

// largestTask is in bytes.
const largestTask = 4 << 20

func newProbeCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:    probeVerb,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runProbe(cmd.Context(), network.Host(), std.in, std.out)
		},
	}
}

// runProbe returns failed checks in the report; an error means that there is no report.
func runProbe(ctx context.Context, net network.Network, in io.Reader, out io.Writer) error {
	var task reach.Task
	if err := json.NewDecoder(io.LimitReader(in, largestTask)).Decode(&task); err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("read the task: %w", err))
	}
	prober, err := probe.New(net, task, connection.DefaultLimits())
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(reach.Run(ctx, task, prober, func(reach.Result) {}))
}

func onMachine(ctx context.Context, net network.Network, _ []byte, args []string, in io.Reader, out io.Writer) int {
	if len(args) != 1 || args[0] != probeVerb {
		return exit.Usage
	}
	return exit.Code(runProbe(ctx, net, in, out))
}
