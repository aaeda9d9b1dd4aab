package syn

import (
	"cmp"
	"context"
	"errors"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
)

const (
	retryEvery     = 10 * time.Second
	limitTransient = 60 * time.Minute
)

// waitTransient retries transient errors only.
func waitTransient(ctx context.Context, clock provisioner.Clock, report provisioner.Report, do func(context.Context) error) error {
	var final error
	err := provisioner.PollUntil(clock, retryEvery, limitTransient, func(ctx context.Context, _ provisioner.Report) error {
		err := do(ctx)
		if err != nil && !fault.Is(err, fault.Transient) {
			final = err
			return nil
		}
		return err
	})(ctx, report)
	return errors.Join(final, err)
}

func withHint(op, hint string, wait provisioner.StepFunc) provisioner.StepFunc {
	return func(ctx context.Context, report provisioner.Report) error {
		return wrapTimeout(op, hint, wait(ctx, report))
	}
}

// The hint of the cause takes precedence.
func wrapTimeout(op, hint string, err error) error {
	var limit *provisioner.LimitError
	if errors.As(err, &limit) {
		return fault.New(fault.Timeout, op, err).WithHint("%s: the cluster itself is running", cmp.Or(fault.HintOf(err), hint))
	}
	return err
}

// In the precision of the facts.
func now(clock provisioner.Clock) time.Time { return clock.Now().UTC().Truncate(time.Second) }
