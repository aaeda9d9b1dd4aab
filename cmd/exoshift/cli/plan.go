package cli

import (
	"context"

	"exoshift/internal/app/run"
	"exoshift/state"
	"exoshift/wizard"
)

// CheckPlan refuses another plan than the one that was approved, and records the plan of a run in shared state.
func CheckPlan(ctx context.Context, o Options, spec state.Spec, secrets wizard.Secrets) error {
	hash := func(ctx context.Context) (string, error) {
		return run.HashPlan(ctx, o.Host, o.Dir, o.RunOptions(), spec, secrets, o.Plan)
	}
	if o.Plan == "" {
		return RecordPlan(ctx, o, hash)
	}
	approved, err := hash(ctx)
	if err != nil || o.recordPlan == nil {
		return err
	}
	return o.recordPlan(ctx, approved)
}

// RecordPlan records the plan of a run in shared state. One that cannot be made is no reason not to begin: the run itself says why.
func RecordPlan(ctx context.Context, o Options, hash func(context.Context) (string, error)) error {
	if o.recordPlan == nil {
		return nil
	}
	made, err := hash(ctx)
	switch {
	case err == nil:
		return o.recordPlan(ctx, made)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return nil
}
