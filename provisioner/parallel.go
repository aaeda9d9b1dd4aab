package provisioner

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// The limit spares a cluster's API. Exoscale's is spared by its client, which requests a few changes at once: most of the time of
// each is waiting.
const parallel = 16

// ForEach calls do for each item, some of them at the same time. The first error cancels the
// context of the others, and is returned.
func ForEach[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, item := range items {
		group.Go(func() error { return do(ctx, item) })
	}
	return group.Wait()
}
