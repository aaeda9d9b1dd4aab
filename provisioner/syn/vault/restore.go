package vault

import (
	"context"
	"errors"

	"exoshift/internal/fault"
	"exoshift/state"
)

// Restore undeletes the newest version of a secret, and returns state.Updated; Found: it is not deleted, or never existed. A
// version that was destroyed is a fault.NotFound.
func (c *Client) Restore(ctx context.Context, path string) (state.Action, error) {
	op := "bring the secret " + sanitize(path) + " back"
	h, err := c.read(ctx, op, path)
	switch {
	case err != nil:
		return "", err
	case !h.isDeleted():
		return state.Found, nil
	case h.deleted == "":
		return "", fault.New(fault.NotFound, op, h.deletionError()).WithHint("%s", c.restoreHint(path, h))
	case c.preview:
		return state.Updated, nil
	}
	client, err := c.requireClient(ctx, op)
	if err != nil {
		return "", err
	}
	if err := client.KVv2(c.options.Mount).Undelete(ctx, path, []int{h.version}); err != nil {
		return "", c.toDeniedFault(ctx, op, c.options.Mount+"/undelete/"+path, "update", toFault(ctx, op, err, client.Token()))
	}
	if h, err = c.read(ctx, op, path); err == nil && h.isDeleted() {
		err = fault.New(fault.Conflict, op, errors.New("the request was taken, and the secret is still deleted")).WithHint("%s", c.restoreHint(path, h))
	}
	return state.Updated, err
}
