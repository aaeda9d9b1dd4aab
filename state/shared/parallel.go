package shared

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// parallel bounds the requests that are under way at once.
const parallel = 16

// manyParallel bounds small requests, of which there may be a thousand: as many connections as are kept (internal/network).
const manyParallel = 32

func forEach(ctx context.Context, count int, do func(ctx context.Context, n int) error) error {
	return forEachOf(ctx, parallel, count, do)
}

func forEachOf(ctx context.Context, limit, count int, do func(ctx context.Context, n int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(limit)
	for n := range count {
		group.Go(func() error { return do(ctx, n) })
	}
	return group.Wait() //nolint:wrapcheck // the errors of do
}
