package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/network"
	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
)

// computeGatherLimit returns the wall time in which a minute of the clock passes while it is slowed down; never less than what the
// requests to a simulated zone take.
func computeGatherLimit(clock network.Clock) time.Duration {
	return max(clock.ToWall(network.WorkSlowdown*time.Minute), 2*time.Second)
}

// gatherDiagnostics emits events about its result, and returns where it is, as format says of a path. Its own errors are emitted and
// never replace the failure. A machine that does not answer is given up by the wall clock: a rehearsal's clock is slowed down
// meanwhile.
func gatherDiagnostics(ctx context.Context, clock network.Clock, installation *install.Installation, failure error, format func(path string) string, emit func(provisioner.Event)) string {
	if ctx.Err() != nil || !shouldGather(failure) {
		return ""
	}
	defer clock.BeginWork()()
	ctx, cancel := context.WithTimeout(ctx, computeGatherLimit(clock))
	defer cancel()
	emit(provisioner.Event{Type: provisioner.TypeGathered, State: provisioner.Started, Text: "gathering diagnostic data, for at most one minute"})
	kept, missing := installation.Gather(ctx, failure)
	place := format(kept.Path)
	event := provisioner.Event{Type: provisioner.TypeGathered, State: provisioner.Done, Name: place, Text: fmt.Sprintf("%d files, %s, in %s", kept.Files, text.FormatSize(kept.Bytes), place)}
	if missing != nil {
		event.Reason = "some data is missing; index.json lists it"
		event.Text += "; " + event.Reason
	}
	if kept.Files == 0 {
		event.State, event.Name, event.Text, event.Reason = provisioner.Failed, "", "no data could be gathered", missing.Error()
	}
	emit(event)
	return event.Name
}

// shouldGather excludes failures that are self-explanatory: after a cancellation, or with an action needed.
func shouldGather(failure error) bool {
	var step *provisioner.StepError
	if !errors.As(failure, &step) {
		return false
	}
	code := exit.Code(failure)
	return code != exit.Interrupted && code != exit.Human
}
