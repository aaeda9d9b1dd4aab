package destroy

import (
	"context"
	"fmt"
	"sync"

	"exoshift/provisioner"
	"exoshift/state"
)

// deleteAll deletes objects of one kind. What cannot be deleted stops nothing: it is noted, told, and tried again by the
// next pass. Only the end of ctx is an error.
func (t *Teardown) deleteAll(ctx context.Context, report provisioner.Report, batch []Found) error {
	if batch[0].Kind == state.KindSecurityGroup { // their rules refer to each other
		t.sideBySide(ctx, batch, func(o state.Object) {
			_, err := t.world.Cloud.ClearRules(ctx, o)
			t.note(ctx, report, o, "", err)
		})
	}
	t.sideBySide(ctx, batch, func(o state.Object) {
		action, err := t.delete(ctx, o)
		t.note(ctx, report, o, action, err)
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (t *Teardown) delete(ctx context.Context, o state.Object) (state.Action, error) {
	if o.Kind == state.KindBucket {
		return t.world.Buckets.DeleteBucket(ctx, o.Name)
	}
	return t.world.Cloud.Delete(ctx, o)
}

// note keeps and tells what came of a deletion. An empty action is only a part of one.
func (t *Teardown) note(ctx context.Context, report provisioner.Report, o state.Object, action state.Action, err error) {
	if ctx.Err() != nil && err != nil {
		return // the run was stopped; nothing is known about the object
	}
	t.mu.Lock()
	delete(t.failures, keyOf(o))
	if err != nil {
		t.failures[keyOf(o)] = err
	}
	t.mu.Unlock()
	switch {
	case err != nil:
		report.Progress(fmt.Sprintf("%s stays for now: %v", Describe(o), err))
	case action != "":
		report.Object(o.Kind, o.Name, o.ID, string(action))
	}
}

// sideBySide does something with each object, a few at a time over all steps, until ctx ends.
func (t *Teardown) sideBySide(ctx context.Context, batch []Found, do func(state.Object)) {
	var running sync.WaitGroup
	defer running.Wait()
	for _, f := range batch {
		select {
		case <-ctx.Done():
			return
		case t.turns <- struct{}{}:
		}
		running.Go(func() {
			defer func() { <-t.turns }()
			do(f.Object)
		})
	}
}
