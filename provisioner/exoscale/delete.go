package exoscale

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

const (
	// holdLimit bounds how long a deletion is tried while something still holds the object: what held it may be on
	// its own way out.
	holdLimit = 5 * time.Minute
	// holdPause is how long a refused deletion waits before it is tried anew.
	holdPause = 2 * pollInterval
)

// Delete deletes an object of any kind but a bucket, and waits until it is gone. Before, it lets go of what it has
// and of what is part of it: the rules of a security group and those of other groups that refer to it, attachments,
// reverse DNS, protection, services, also those of load balancers that target an instance pool. What is gone already is
// state.Found. What is still held by something else after five minutes is a fault.Conflict. A DNS record is deleted from
// the zone that it names among its Uses.
func (c *Client) Delete(ctx context.Context, o state.Object) (state.Action, error) {
	name := cmp.Or(o.Name, o.ID)
	op := "delete " + o.Kind + " " + name
	if o.Kind == state.KindRecord {
		return c.deleteRecordOf(ctx, o)
	}
	s, known := findResourceType(o.Kind)
	switch {
	case !known:
		return "", fault.Newf(fault.Internal, op, "objects of kind %q are not the API's", o.Kind)
	case o.ID == "":
		return "", fault.Newf(fault.Internal, op, "it has no ID")
	}
	d := deletion{client: c, op: op, resourceType: s, id: o.ID}
	live, err := d.get(ctx)
	if err != nil || live == nil {
		return state.Found, err
	}
	if o.Name == "" {
		name = cmp.Or(live.displayName(), o.ID)
	}
	return state.Deleted, c.applyChange(ctx, state.Deleted, o.Kind, name, func(ctx context.Context) (string, error) {
		return o.ID, d.retryUntilGone(ctx)
	})
}

// deletion is one object on its way out.
type deletion struct {
	client       *Client
	op           string
	resourceType resourceType
	id           string
}

// get returns the object, or nil if it is gone.
func (d deletion) get(ctx context.Context) (*resource, error) {
	var live resource
	err := d.client.get(ctx, d.op, d.resourceType.joinPath(d.id), &live)
	if fault.Is(err, fault.NotFound) || err == nil && live.isGone() {
		return nil, nil
	}
	return &live, err
}

// retryUntilGone tries until the object is gone, or until what holds it has had its time. Every try begins with a look: an
// answer may have been lost, and how the API answers a second deletion is not recorded for most kinds.
func (d deletion) retryUntilGone(ctx context.Context) error {
	since := d.client.clock.Now()
	for try := 1; ; try++ {
		live, err := d.get(ctx)
		if err == nil && live != nil {
			err = d.tryOnce(ctx, *live)
		}
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case fault.Is(err, fault.Transient) && !isBusy(err) && try >= attempts, !isRetryable(err):
			return err
		case d.client.clock.Now().Sub(since) >= holdLimit:
			return d.newHeldError(err)
		}
		if err := d.client.clock.Sleep(ctx, holdPause); err != nil {
			return fault.New(fault.KindOf(ctx.Err()), d.op, err)
		}
	}
}

// isRetryable tells whether the same deletion may succeed in a while.
func isRetryable(err error) bool {
	return fault.Is(err, fault.Conflict) || fault.Is(err, fault.Transient)
}

// isBusy tells whether the object was in the middle of something else.
func isBusy(err error) bool {
	var failed *requestError
	return errors.As(err, &failed) && failed.reason == "busy"
}

// isProtectionError tells whether a deletion was refused for the protection of the instance. How the API words it is not
// recorded.
func isProtectionError(err error) bool {
	var failed *requestError
	return errors.As(err, &failed) && matchPattern(failed.message, `protect`)
}

func (d deletion) newHeldError(err error) error {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		err = refusal.Err
	}
	return fault.New(fault.Conflict, d.op, err).
		WithHint("something still holds it after %s: look at it in the Exoscale portal, delete what uses it, then run again", holdLimit)
}

// tryOnce lets go of the object, deletes it and waits until it is gone.
func (d deletion) tryOnce(ctx context.Context, live resource) error {
	if err := d.release(ctx, live); err != nil {
		return err
	}
	err := d.remove(ctx, d.resourceType.joinPath(d.id))
	if d.resourceType.kind == state.KindInstance && isProtectionError(err) { // in spite of its labels
		if err = d.removeProtection(ctx); err == nil {
			err = d.remove(ctx, d.resourceType.joinPath(d.id))
		}
	}
	if err != nil {
		return err
	}
	return d.client.await(ctx, d.op, func(ctx context.Context) (string, error) {
		live, err := d.get(ctx)
		if err != nil || live == nil {
			return "", err
		}
		return cmp.Or("it is "+live.State, "it is still there"), nil
	})
}

// remove deletes what is at path; what is gone is no error.
func (d deletion) remove(ctx context.Context, path string) error {
	err := d.client.execute(ctx, d.op, http.MethodDelete, path, nil)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// detach takes an object off an instance, or a volume off the one it is attached to. That it was not attached is no
// error: a detachment may be refused after its answer was lost.
func (d deletion) detach(ctx context.Context, s resourceType, id, instanceID string) error {
	var body any
	if instanceID != "" {
		body = map[string]any{"instance": reference{ID: instanceID}}
	}
	err := d.client.execute(ctx, d.op, http.MethodPut, s.joinPath(id)+":detach", body)
	var failed *requestError
	if fault.Is(err, fault.NotFound) || errors.As(err, &failed) && matchPattern(failed.message, `not attached`) {
		return nil
	}
	return err
}
