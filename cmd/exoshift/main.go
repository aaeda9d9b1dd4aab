// Command exoshift installs OpenShift 4 on Exoscale.
package main

import "os"

// version is set by the linker.
var version = "dev"

func main() {
	// The first signal stops the run once the current calls are journaled; the second one ends the process at once.
	ctx, interrupts := untilStopped()
	os.Exit(run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, interrupts: interrupts}))
}
