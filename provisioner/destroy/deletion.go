package destroy

import (
	"context"
	"fmt"
	"sync"

	"exoshift/provisioner"
	"exoshift/state"
)

// A failed deletion stops nothing: it is recorded, emitted, and retried by the next pass. Only the end of ctx is an
// error.
func (t *Teardown) deleteAll(ctx context.Context, report provisioner.Report, batch []Found) error {
	if batch[0].Kind == state.KindSecurityGroup { // the rules of security groups refer to each other
		t.forEachParallel(ctx, batch, func(o state.Object) {
			_, err := t.clients.Cloud.ClearRules(ctx, o)
			t.recordResult(ctx, report, o, "", err)
		})
	}
	t.forEachParallel(ctx, batch, func(o state.Object) {
		action, err := t.delete(ctx, o)
		t.recordResult(ctx, report, o, action, err)
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (t *Teardown) delete(ctx context.Context, o state.Object) (state.Action, error) {
	if o.Kind == state.KindBucket {
		return t.clients.Buckets.DeleteBucket(ctx, o.Name)
	}
	return t.clients.Cloud.Delete(ctx, o)
}

func (t *Teardown) recordResult(ctx context.Context, report provisioner.Report, o state.Object, action state.Action, err error) {
	if ctx.Err() != nil && err != nil {
		return // the run was stopped; the state of the object is unknown
	}
	t.mu.Lock()
	delete(t.failures, newKey(o))
	if err != nil {
		t.failures[newKey(o)] = err
	}
	t.mu.Unlock()
	switch {
	case err != nil:
		report.EmitProgress(fmt.Sprintf("%s stays for now: %v", Describe(o), err))
	case action != "":
		report.EmitObject(o.Kind, o.Name, o.ID, string(action))
	}
}

func (t *Teardown) forEachParallel(ctx context.Context, batch []Found, do func(state.Object)) {
	var running sync.WaitGroup
	defer running.Wait()
	for _, f := range batch {
		select {
		case <-ctx.Done():
			return
		case t.slots <- struct{}{}:
		}
		running.Go(func() {
			defer func() { <-t.slots }()
			do(f.Object)
		})
	}
}
