package cli

import (
	"context"
	"io"
)

// VerbDisplay is what the displays of verbs on an installed cluster have in common.
type VerbDisplay struct {
	Display
	Options Options
	Cluster string // its ID
	DryRun  bool
}

// NewVerbDisplay returns the display of a verb on a cluster that the flags chose.
func NewVerbDisplay(o Options, std Streams, cluster string, dryRun bool) VerbDisplay {
	return VerbDisplay{o.NewDisplay(std), o, cluster, dryRun}
}

// Show prints a plan to people. For programs it is written, if nothing else follows.
func (d VerbDisplay) Show(show func(io.Writer), write func(io.Writer) error) error {
	switch {
	case !d.Output.IsJSON():
		show(d.Output.WrapWriter(d.Std.Out))
	case d.DryRun:
		return write(d.Std.Out)
	}
	return nil
}

// Confirm asks whether to go on; without a terminal --yes is required.
func (d VerbDisplay) Confirm(ctx context.Context) error { return d.Ask(ctx, d.Options, "\nGo on?", "") }

// End prints to people how a run failed, if it did, and how it ended, and waits for readers.
func (d VerbDisplay) End(failure error, events string, show func(io.Writer)) {
	if !d.Output.IsJSON() {
		d.PrintFailure(failure)
		show(d.Output.WrapWriter(d.Std.Out))
	}
	d.Std.EndRun(d.Options.FormatRecord(events), func(string) {})
}
