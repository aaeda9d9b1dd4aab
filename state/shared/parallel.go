package shared

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// parallel bounds the requests that are under way at once.
const parallel = 16

func forEach(ctx context.Context, count int, do func(ctx context.Context, n int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for n := range count {
		group.Go(func() error { return do(ctx, n) })
	}
	return group.Wait() //nolint:wrapcheck // the errors of do
}
