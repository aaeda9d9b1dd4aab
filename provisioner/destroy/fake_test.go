package destroy

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"exoshift/state"
)

// zone is a fake of cloud, object storage and cluster that records the order of deletions. Its maps configure failures,
// so that orders and selections can be tested alone; the simulated zone is for the whole.
type zone struct {
	mu      sync.Mutex
	objects []state.Object
	deleted []string          // kind and ID
	cleared []string          // groups whose rules were deleted
	refused map[string]error  // by ID: the deletion fails
	denied  error             // of listing
	told    []state.Claim     // by the cluster
	owners  map[string]string // marks of buckets
	records []state.Object
	silent  error // the cluster does not answer
	asked   int
	after   func(id string) // called after a deletion
}

func (z *zone) list(bucket bool) []state.Object {
	z.mu.Lock()
	defer z.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(z.objects), func(o state.Object) bool { return (o.Kind == state.KindBucket) != bucket })
}

func (z *zone) ListObjects(context.Context) ([]state.Object, error) { return z.list(false), z.denied }

func (z *zone) ListRecords(context.Context, state.Object) ([]state.Object, error) {
	return slices.DeleteFunc(slices.Clone(z.records), func(o state.Object) bool { return slices.Contains(z.deleted, o.Kind+" "+o.ID) }), nil
}

func (z *zone) GetBucketOwner(_ context.Context, name string) (string, error) {
	return z.owners[name], nil
}

func (z *zone) ListBuckets(context.Context) ([]state.Object, error) { return z.list(true), nil }

func (z *zone) OnOutage(func(state.Outage)) {}

func (z *zone) ClearRules(_ context.Context, o state.Object) (state.Action, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.cleared = append(z.cleared, o.ID)
	return state.Updated, nil
}

func (z *zone) Delete(ctx context.Context, o state.Object) (state.Action, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if o.Kind == state.KindSecurityGroup && len(z.cleared) < len(z.kind(o.Kind)) {
		return "", errors.New("another group refers to it")
	}
	return z.remove(o.Kind, o.ID)
}

func (z *zone) DeleteBucket(_ context.Context, name string) (state.Action, error) {
	return z.remove(state.KindBucket, name)
}

func (z *zone) kind(kind string) []state.Object {
	return slices.DeleteFunc(z.list(false), func(o state.Object) bool { return o.Kind != kind })
}

func (z *zone) remove(kind, id string) (state.Action, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if err := z.refused[id]; err != nil {
		return "", err
	}
	before := len(z.objects)
	z.objects = slices.DeleteFunc(z.objects, func(o state.Object) bool { return o.Kind == kind && o.ID == id })
	z.deleted = append(z.deleted, kind+" "+id)
	if z.after != nil {
		z.after(id)
	}
	if len(z.objects) == before {
		return state.Found, nil
	}
	return state.Deleted, nil
}

func (z *zone) ListClaims(context.Context) ([]state.Claim, error) {
	z.asked++
	if z.silent != nil {
		return nil, z.silent
	}
	return z.told, nil
}

func (z *zone) world() Clients { return Clients{Cloud: z, Buckets: z, Cluster: z, Clock: clock{}} }

type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
