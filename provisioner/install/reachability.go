package install

import (
	"context"
	"errors"
	"fmt"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// stepReachability is the ID of the step that probes what the installation has to reach.
const stepReachability = "reachability"

// checkReachability refuses to start where something cannot be reached that has to be. Once the cluster's own certificates
// exist the installation has started: from then on it is only told, as a run that goes on finds out by itself.
func (i *Installation) checkReachability(ctx context.Context, report provisioner.Report) error {
	if i.clients.Reach == nil || i.isBootstrapped() {
		return nil
	}
	skipped, err := i.clients.Reach.Check(ctx, report.EmitProgress)
	started := i.Facts().InfraID != ""
	if err == nil && !started {
		err = i.updateFacts(func(f *state.Facts) { f.SkippedChecks = skipped })
	}
	if err != nil && started && ctx.Err() == nil && fault.Is(err, fault.Conflict) {
		report.EmitProgress(fmt.Sprintf("%v; the installation has started, so it goes on", errors.Unwrap(err)))
		return nil
	}
	return err
}
