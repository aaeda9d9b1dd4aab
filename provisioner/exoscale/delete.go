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
	// What held the object may be being deleted itself.
	holdLimit = 5 * time.Minute
	holdPause = 2 * pollInterval
)

// Delete deletes an object of any kind but a bucket, and waits until it is gone. First it removes what would block the deletion:
// the rules of a security group and those of other groups that refer to it, attachments, reverse DNS, protection, services, also
// those of load balancers that target an instance pool. An object that is already gone is state.Found. One that is still in use
// after five minutes is a fault.Conflict. A DNS record is deleted from the zone that its Uses name.
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

type deletion struct {
	client       *Client
	op           string
	resourceType resourceType
	id           string
}

func (d deletion) get(ctx context.Context) (*resource, error) {
	var live resource
	err := d.client.get(ctx, d.op, d.resourceType.joinPath(d.id), &live)
	if fault.Is(err, fault.NotFound) || err == nil && live.isGone() {
		return nil, nil
	}
	return &live, err
}

// retryUntilGone gets the object before every attempt: an earlier response may have been lost, and how the API answers a second
// deletion is not recorded for most kinds.
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

func isRetryable(err error) bool {
	return fault.Is(err, fault.Conflict) || fault.Is(err, fault.Transient)
}

func isBusy(err error) bool {
	var failed *requestError
	return errors.As(err, &failed) && failed.reason == "busy"
}

// isProtectionError matches broadly: the API's message for a protected instance is not recorded.
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

func (d deletion) tryOnce(ctx context.Context, live resource) error {
	if err := d.release(ctx, live); err != nil {
		return err
	}
	err := d.remove(ctx, d.resourceType.joinPath(d.id))
	if d.resourceType.kind == state.KindInstance && isProtectionError(err) { // even if its labels do not show it
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

func (d deletion) remove(ctx context.Context, path string) error {
	err := d.client.execute(ctx, d.op, http.MethodDelete, path, nil)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// detach detaches an object from an instance, or a volume from its instance. It ignores that it was not attached: a repeated
// detachment may be refused after the first response was lost.
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
