package exoscale

import (
	"context"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

// instanceLimit bounds the wait for an instance to run or to vanish.
const instanceLimit = 10 * time.Minute

// DeleteInstance deletes a machine and waits until it is gone.
func (c *Client) DeleteInstance(ctx context.Context, id string) (state.Action, error) {
	if c.imagined(id) {
		return state.Found, nil
	}
	live, err := c.instance(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return state.Found, nil
	}
	if err != nil {
		return "", err
	}
	name := value(live.Name)
	return state.Deleted, c.change(ctx, state.Deleted, kindInstance, name, func(ctx context.Context) (string, error) {
		if !vanishing(live) {
			if err := c.api.DeleteInstance(ctx, c.zone, live); err != nil && !c.leaving(ctx, id) {
				return "", err
			}
		}
		return id, c.awaitGone(ctx, id, name)
	})
}

// leaving tells whether an instance whose deletion failed is on its way out all the same: the answer to the first
// attempt may have been lost, and how the API answers a second one is not recorded.
func (c *Client) leaving(ctx context.Context, id string) bool {
	live, err := c.instance(ctx, id)
	return fault.Is(err, fault.NotFound) || err == nil && vanishing(live)
}

func (c *Client) awaitGone(ctx context.Context, id, name string) error {
	return c.await(ctx, "wait until instance "+name+" is gone", func(ctx context.Context) (string, error) {
		live, err := c.instance(ctx, id)
		switch {
		case fault.Is(err, fault.NotFound):
			return "", nil
		case err != nil:
			return "", err
		case value(live.State) == "destroyed":
			return "", nil
		}
		return "it is " + value(live.State), nil
	})
}

// await repeats a look until it has nothing to wait for.
func (c *Client) await(ctx context.Context, op string, look func(context.Context) (waiting string, err error)) error {
	since := c.clock.Now()
	for {
		waiting, err := look(ctx)
		if err != nil || waiting == "" {
			return err
		}
		if c.clock.Now().Sub(since) >= instanceLimit {
			return fault.Newf(fault.Timeout, op, "%s after %s", waiting, instanceLimit).
				WithHint("look at it in the Exoscale portal; run again to wait on")
		}
		if err := c.clock.Sleep(ctx, pollInterval); err != nil {
			return fault.New(fault.KindOf(ctx.Err()), op, err)
		}
	}
}
