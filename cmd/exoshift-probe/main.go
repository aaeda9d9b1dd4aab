// Command exoshift-probe runs the connectivity checks of a task on another machine: it is the part of exoshift that is copied
// to a machine in the zone, or to a host by SSH. It reads the task from the standard input and writes the report to the standard
// output.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"exoshift/internal/network"
	"exoshift/wizard/reach/probe"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := probe.RunTask(ctx, network.Host(), os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "exoshift-probe:", err)
		os.Exit(1)
	}
}
