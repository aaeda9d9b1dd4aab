package install

import (
	"context"
	"errors"
	"fmt"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const stepReachability = "reachability"

// Only an installation that has not started fails: once the cluster's own certificates exist, problems are only emitted,
// as a resumed run meets them itself.
func (i *Installation) checkReachability(ctx context.Context, report provisioner.Report) error {
	if i.clients.Reach == nil || i.Facts().IsBootstrapped() {
		return nil
	}
	skipped, err := i.clients.Reach.Check(ctx, report.EmitProgress)
	started := i.Facts().InfraID != ""
	if err == nil && !started {
		err = i.facts.Update(func(f *state.Facts) { f.SkippedChecks = skipped })
	}
	if err != nil && started && ctx.Err() == nil && fault.Is(err, fault.Conflict) {
		report.EmitProgress(fmt.Sprintf("%v; the installation has started, so it goes on", errors.Unwrap(err)))
		return nil
	}
	return err
}
