package inventory

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"regexp"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

const (
	// What held the object may be being deleted itself.
	holdLimit = 5 * time.Minute
	holdPause = 2 * api.PollInterval
)

// Patterns of the API's messages, which are not recorded: they match broadly.
var (
	protectedPattern = regexp.MustCompile(`(?i)protect`)
	detachedPattern  = regexp.MustCompile(`(?i)not attached`)
)

// Delete deletes an object of any kind but a bucket or a DNS record, and waits until it is gone. First it removes what would block the deletion:
// the rules of a security group and those of other groups that refer to it, attachments, reverse DNS, protection, services, also
// those of load balancers that target an instance pool. An object that is already gone is state.Found. One that is still in use
// after five minutes is a fault.Conflict.
func (c *Inventory) Delete(ctx context.Context, o state.Object) (state.Action, error) {
	name := cmp.Or(o.Name, o.ID)
	op := "delete " + o.Kind + " " + name
	s, known := findResourceType(o.Kind)
	switch {
	case !known:
		return "", fault.Newf(fault.Internal, op, "objects of kind %q are not managed by the API", o.Kind)
	case o.ID == "":
		return "", fault.Newf(fault.Internal, op, "it has no ID")
	}
	d := deletion{api: c.api, op: op, resourceType: s, id: o.ID}
	live, err := d.get(ctx)
	if err != nil || live == nil {
		return state.Found, err
	}
	if o.Name == "" {
		name = cmp.Or(live.displayName(), o.ID)
	}
	return state.Deleted, c.api.ApplyChange(ctx, state.Deleted, o.Kind, name, func(ctx context.Context) (string, error) {
		return o.ID, d.retryUntilGone(ctx)
	})
}

// DeleteInstance deletes an instance and waits until it is gone.
func (c *Inventory) DeleteInstance(ctx context.Context, id string) (state.Action, error) {
	if c.api.IsPreviewID(id) {
		return state.Found, nil
	}
	return c.Delete(ctx, state.Object{Kind: state.KindInstance, ID: id})
}

// deletion deletes one object.
type deletion struct {
	api          *api.Client
	op           string
	resourceType resourceType
	id           string
}

func (d deletion) get(ctx context.Context) (*resource, error) {
	var live resource
	err := d.api.Get(ctx, d.op, d.resourceType.joinPath(d.id), &live)
	if fault.Is(err, fault.NotFound) || err == nil && live.isGone() {
		return nil, nil
	}
	return &live, err
}

// retryUntilGone gets the object before every attempt: an earlier response may have been lost, and how the API answers a second
// deletion is not recorded for most kinds.
func (d deletion) retryUntilGone(ctx context.Context) error {
	since := d.api.Clock.Now()
	for try := 1; ; try++ {
		live, err := d.get(ctx)
		if err == nil && live != nil {
			err = d.tryOnce(ctx, *live)
		}
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case fault.Is(err, fault.Transient) && !api.IsBusy(err) && try >= api.Attempts, !isRetryable(err):
			return err
		case d.api.Clock.Now().Sub(since) >= holdLimit:
			return d.newHeldError(err)
		}
		if err := d.api.Sleep(ctx, d.op, holdPause); err != nil {
			return err
		}
	}
}

func isRetryable(err error) bool {
	return fault.Is(err, fault.Conflict) || fault.Is(err, fault.Transient)
}

func (d deletion) newHeldError(err error) error {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		err = refusal.Err
	}
	return fault.New(fault.Conflict, d.op, err).
		WithHint("it is still in use after %s: check it in the Exoscale portal, delete what uses it, then run again", holdLimit)
}

func (d deletion) tryOnce(ctx context.Context, live resource) error {
	if err := d.release(ctx, live); err != nil {
		return err
	}
	err := d.remove(ctx, d.resourceType.joinPath(d.id))
	if d.resourceType.kind == state.KindInstance && api.HasMessage(err, protectedPattern) { // even if its labels do not show it
		if err = d.removeProtection(ctx); err == nil {
			err = d.remove(ctx, d.resourceType.joinPath(d.id))
		}
	}
	if err != nil {
		return err
	}
	return d.api.Await(ctx, d.op, func(ctx context.Context) (string, error) {
		live, err := d.get(ctx)
		if err != nil || live == nil {
			return "", err
		}
		return cmp.Or("it is "+live.State, "it still exists"), nil
	})
}

func (d deletion) remove(ctx context.Context, path string) error {
	err := d.api.Execute(ctx, d.op, http.MethodDelete, path, nil)
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
		body = map[string]any{"instance": api.Reference{ID: instanceID}}
	}
	err := d.api.Execute(ctx, d.op, http.MethodPut, s.joinPath(id)+":detach", body)
	if fault.Is(err, fault.NotFound) || api.HasMessage(err, detachedPattern) {
		return nil
	}
	return err
}
