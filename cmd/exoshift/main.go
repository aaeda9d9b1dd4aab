// Command exoshift installs OpenShift 4 on Exoscale.
package main

import (
	"os"
)

var version = "dev"

func main() { os.Exit(process(os.Args[1:])) }

func process(args []string) int {
	// The first signal stops the run once the current calls are journaled; the second one ends the process at once.
	ctx, interrupts := notifyInterrupt()
	out, err := &outlet{name: "standard output", file: os.Stdout}, &outlet{name: "standard error", file: os.Stderr}
	return execute(ctx, args, streams{in: os.Stdin, out: out, err: err, interrupts: interrupts})
}
