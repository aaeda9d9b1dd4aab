package nodes

import (
	"context"
	"fmt"
	"strings"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// newConfigure returns what sets the node counts in the configuration of the tenant.
func newConfigure(r run.Run, journal state.Recorder) func(context.Context, provisioner.Report, state.Spec) error {
	return func(ctx context.Context, report provisioner.Report, spec state.Spec) error {
		return run.Configuration{Run: r, Edits: syn.BuildCountEdits(spec)}.Update(ctx, journal, report, "Set the node counts of cluster "+spec.Cluster.ID)
	}
}

// checkConfiguration finds out, before anything is changed, how the configuration of the tenant changes, and that somebody is signed in
// to change it. A dry run does without.
func checkConfiguration(ctx context.Context, r run.Run, plan *Plan, after state.Spec, wanted Removal) (err error) {
	plan.Configuration, err = run.Configuration{Run: r, Edits: syn.BuildCountEdits(after)}.Preview(ctx)
	if fault.Is(err, fault.Waiting) && wanted.DryRun {
		plan.Unseen = strings.TrimSuffix("changes in the configuration of the tenant: "+err.Error()+"; "+fault.HintOf(err), "; ")
		return nil
	}
	if err != nil {
		err = fmt.Errorf("nothing was changed: the node counts in the configuration of the tenant would have to change, too: %w", err)
	}
	if fault.Is(err, fault.Conflict) {
		return exit.WithCode(exit.Answers, err)
	}
	return err
}
