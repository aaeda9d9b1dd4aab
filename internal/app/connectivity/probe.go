package connectivity

import (
	"context"
	"errors"
	"io"

	"exoshift/internal/app/exit"
	"exoshift/internal/network"
	"exoshift/wizard/reach/probe"
)

// ProbeVerb is the hidden verb of remote runs: it reads a task from the standard input and writes a report to the standard
// output.
const ProbeVerb = "probe"

// RunProbe runs the task that in holds, see probe.RunTask.
func RunProbe(ctx context.Context, net network.Network, in io.Reader, out io.Writer) error {
	err := probe.RunTask(ctx, net, in, out)
	var unread *probe.TaskError
	if errors.As(err, &unread) {
		return exit.WithCode(exit.Usage, err)
	}
	return err
}

// OnMachine runs this program on a machine of a simulated zone; see simcloud.Options.Program.
func OnMachine(ctx context.Context, net network.Network, _ []byte, args []string, in io.Reader, out io.Writer) int {
	if len(args) != 1 || args[0] != ProbeVerb {
		return exit.Usage
	}
	return exit.Code(RunProbe(ctx, net, in, out))
}
