package destroy

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// deleter deletes objects, a few at a time.
type deleter struct {
	cloud   Cloud
	buckets Buckets
	slots   chan struct{} // one for each running deletion

	mu       sync.Mutex
	failures map[key]error // last error of each failed deletion
}

// A failed deletion stops nothing: it is recorded, emitted, and retried by the next pass. Only the end of ctx is an
// error.
func (d *deleter) deleteAll(ctx context.Context, report provisioner.Report, batch []Found) error {
	if batch[0].Kind == state.KindSecurityGroup { // the rules of security groups refer to each other
		d.forEachParallel(ctx, batch, func(o state.Object) {
			_, err := d.cloud.ClearRules(ctx, o)
			d.recordResult(ctx, report, o, "", err)
		})
	}
	d.forEachParallel(ctx, batch, func(o state.Object) {
		action, err := d.delete(ctx, o)
		d.recordResult(ctx, report, o, action, err)
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (d *deleter) delete(ctx context.Context, o state.Object) (state.Action, error) {
	if o.Kind == state.KindBucket {
		return d.buckets.DeleteBucket(ctx, o.Name)
	}
	return d.cloud.Delete(ctx, o)
}

func (d *deleter) recordResult(ctx context.Context, report provisioner.Report, o state.Object, action state.Action, err error) {
	if ctx.Err() != nil && err != nil {
		return // the run was stopped; the state of the object is unknown
	}
	d.mu.Lock()
	delete(d.failures, newKey(o))
	if err != nil {
		d.failures[newKey(o)] = err
	}
	d.mu.Unlock()
	switch {
	case err != nil:
		report.EmitProgress(fmt.Sprintf("%s is kept for now: %v", Describe(o), err))
	case action != "":
		report.EmitObject(o.Kind, o.Name, o.ID, string(action))
	}
}

func (d *deleter) forEachParallel(ctx context.Context, batch []Found, do func(state.Object)) {
	var running sync.WaitGroup
	defer running.Wait()
	for _, f := range batch {
		select {
		case <-ctx.Done():
			return
		case d.slots <- struct{}{}:
		}
		running.Go(func() {
			defer func() { <-d.slots }()
			do(f.Object)
		})
	}
}

func (d *deleter) newLeftoverError(objects []Found) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := &LeftoverError{}
	hint := ""
	for _, o := range objects {
		cause := d.failures[newKey(o.Object)]
		left.Left = append(left.Left, Leftover{Found: o, Cause: cause})
		hint = cmp.Or(hint, fault.HintOf(cause))
	}
	op := fmt.Sprintf("delete the cluster: objects left: %d", len(objects))
	hint = cmp.Or(hint, "check them in the Exoscale portal")
	return fault.New(fault.Conflict, op, left).WithHint("%s; then run the same command again", hint)
}
