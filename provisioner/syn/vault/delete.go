package vault

import (
	"context"
	"errors"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"
)

// sharedPrefix is the path of the secrets that all clusters use.
const sharedPrefix = "__shared__/"

// Delete deletes the newest version of a secret, so that it can be undone. A secret that is already gone is state.Found. One that
// other clusters use too is refused.
func (c *Client) Delete(ctx context.Context, path string) (state.Action, error) {
	op := "delete the secret " + sanitize(path)
	if strings.HasPrefix(path, sharedPrefix) || strings.Count(path, "/") < 2 {
		return "", fault.New(fault.Invalid, op, errors.New("it does not belong to one cluster alone"))
	}
	h, err := c.read(ctx, op, path)
	switch {
	case err != nil:
		return "", err
	case h.values == nil:
		return state.Found, nil
	case c.preview:
		return state.Deleted, nil
	}
	client, err := c.requireClient(ctx, op)
	if err != nil {
		return "", err
	}
	if err := client.KVv2(c.options.Mount).Delete(ctx, path); err != nil {
		return "", c.toDeniedFault(ctx, op, c.options.Mount+"/data/"+path, "delete", toFault(ctx, op, err, client.Token()))
	}
	return state.Deleted, nil
}
