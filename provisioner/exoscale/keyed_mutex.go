package exoscale

import (
	"context"
	"sync"
)

// keyedMutex lets one goroutine at a time work on an object. Waiting for a turn ends with the context, which a mutex
// cannot offer.
type keyedMutex struct{ objects sync.Map } // id -> chan struct{} of one seat

// take waits for the turn on id and returns the function that gives it back.
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
