package exoscale

import (
	"context"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

const instanceLimit = 10 * time.Minute

// DeleteInstance deletes an instance and waits until it is gone.
func (c *Client) DeleteInstance(ctx context.Context, id string) (state.Action, error) {
	if c.isPreviewID(id) {
		return state.Found, nil
	}
	return c.Delete(ctx, state.Object{Kind: state.KindInstance, ID: id})
}

// await calls look until it returns nothing to wait for.
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
