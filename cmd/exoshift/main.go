// Command exoshift installs OpenShift 4 on Exoscale.
package main

import (
	"os"

	"exoshift/cmd/exoshift/aboutverbs"
	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/console/outlet"
)

// Set by the linker: the release, its commit, the time of that, and whether files differ from it ("true").
var version, commit, date, dirty = "dev", "", "", "" //nolint:gochecknoglobals // the linker knows nothing else

func newBuild() aboutverbs.Build {
	return aboutverbs.NewBuild(version, commit, date, dirty == "true")
}

func main() { os.Exit(process(os.Args[1:])) }

func process(args []string) int {
	// The first signal stops the run once the current calls are journaled; the second one ends the process at once.
	ctx, interrupts := cli.NotifyInterrupt()
	out, err := outlet.New("standard output", os.Stdout), outlet.New("standard error", os.Stderr)
	return execute(ctx, args, cli.Streams{In: os.Stdin, Out: out, Err: err, Interrupts: interrupts})
}
