package day2

import (
	"context"
	"time"

	"exoshift/state/lease"
)

// undoTimeout is for how long what a run has set that failed is tried to be undone.
const undoTimeout = 3 * time.Minute

// Undo undoes what nothing needs any more once a run has failed, also after it was stopped, and returns what undo does. Whoever has taken
// over the cluster's lock does it otherwise.
func Undo[T any](ctx context.Context, undo func(context.Context) (T, error)) (done T, err error) {
	if lease.IsLost(ctx) {
		return done, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	return undo(ctx)
}
