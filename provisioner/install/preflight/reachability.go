package preflight

import (
	"context"
	"errors"
	"fmt"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Reachability checks the connectivity that the installation needs; it only reads.
type Reachability interface {
	// Check runs all checks and returns those that the operator excluded. It fails with fault.Conflict if a required
	// service cannot be reached; seen is called with one line for each problem.
	Check(ctx context.Context, seen func(text string)) ([]state.SkippedCheck, error)
}

// CheckReachability returns the step that checks the connectivity; reach is nil if it is not checked. Only an
// installation that has not started fails: once the cluster's own certificates exist, problems are only emitted, as a
// resumed run meets them itself.
func CheckReachability(reach Reachability, facts *state.FactsStore) provisioner.StepFunc {
	return func(ctx context.Context, report provisioner.Report) error {
		if reach == nil || facts.Get().IsBootstrapped() {
			return nil
		}
		skipped, err := reach.Check(ctx, report.EmitProgress)
		started := facts.Get().InfraID != ""
		if err == nil && !started {
			err = facts.Update(func(f *state.Facts) { f.SkippedChecks = skipped })
		}
		if err != nil && started && ctx.Err() == nil && fault.Is(err, fault.Conflict) {
			report.EmitProgress(fmt.Sprintf("%v; the installation has already started and continues", errors.Unwrap(err)))
			return nil
		}
		return err
	}
}
