package connectivity

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"exoshift/internal/app/exit"
	"exoshift/internal/network"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe"
	"exoshift/wizard/reach/probe/connection"
)

// ProbeVerb is the hidden verb of remote runs: it reads a task from the standard input and writes a report to the standard
// output.
const ProbeVerb = "probe"

// largestTask is in bytes.
const largestTask = 4 << 20

// RunProbe runs the task that in holds. It returns failed checks in the report; an error means that there is no report.
func RunProbe(ctx context.Context, net network.Network, in io.Reader, out io.Writer) error {
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

// OnMachine runs this program on a machine of a simulated zone; see simcloud.Options.Program.
func OnMachine(ctx context.Context, net network.Network, _ []byte, args []string, in io.Reader, out io.Writer) int {
	if len(args) != 1 || args[0] != ProbeVerb {
		return exit.Usage
	}
	return exit.Code(RunProbe(ctx, net, in, out))
}
