package exoscale

import (
	"context"
	"sync"
)

// keyedMutex is a mutex per object ID. Unlike a sync.Mutex, it stops waiting when the context ends.
type keyedMutex struct{ objects sync.Map } // id -> chan struct{} of capacity 1

func (t *keyedMutex) take(ctx context.Context, id string) (func(), error) {
	entry, _ := t.objects.LoadOrStore(id, make(chan struct{}, 1))
	seat, _ := entry.(chan struct{})
	select {
	case seat <- struct{}{}:
		return func() { <-seat }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
