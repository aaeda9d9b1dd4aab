package vault

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/fault"
	"exoshift/state"
)

// maxAttempts bounds how often a write is repeated because another client wrote first.
const maxAttempts = 5

// writePause is the pause after a failed write, times the number of failures. Writers that meet pause a random part of it, so that
// they do not meet again.
const writePause = time.Second

// EnsureSecret writes those keys of a secret that are missing. Existing keys are never changed, and a deleted secret is a
// fault.Conflict: what was created with its values would become unusable.
func (c *Client) EnsureSecret(ctx context.Context, path string, wanted map[string]string) (state.Action, error) {
	op := "keep the secret " + sanitize(path)
	return c.updateSecret(ctx, op, path, wanted, func(h secretVersion) (map[string]any, error) {
		if h.isDeleted() {
			return nil, fault.New(fault.Conflict, op, fmt.Errorf("%w, and data encrypted with the old value could not be decrypted", h.deletionError())).
				WithHint("%s", c.restoreHint(path, h))
		}
		next := maps.Clone(h.values)
		for key, value := range wanted {
			if !h.has(key) {
				next = withValue(next, key, value)
			}
		}
		return next, nil
	})
}

// SetSecret writes a new version with the values; its other keys are kept. It replaces only the version that it has read, which
// may be a deleted one.
func (c *Client) SetSecret(ctx context.Context, path string, values map[string]string) (state.Action, error) {
	op := "set the secret " + sanitize(path)
	return c.updateSecret(ctx, op, path, values, func(h secretVersion) (map[string]any, error) {
		next := maps.Clone(h.values)
		for key, value := range values {
			next = withValue(next, key, value)
		}
		return next, nil
	})
}

func withValue(values map[string]any, key, value string) map[string]any {
	if values == nil {
		values = map[string]any{}
	}
	values[key] = value
	return values
}

// updateSecret writes what next returns for the version that was read, and only on top of that version. It reads again if another
// client wrote first or if the result of the write is unknown.
func (c *Client) updateSecret(
	ctx context.Context, op, path string, values map[string]string, next func(secretVersion) (map[string]any, error),
) (state.Action, error) {
	tried := state.Found
	var failed error
	for try := range maxAttempts {
		pause := time.Duration(try) * writePause
		if fault.Is(failed, fault.Conflict) {
			pause = rand.N(pause)
		}
		if failed != nil {
			if err := c.clock.Sleep(ctx, pause); err != nil {
				return "", fault.New(fault.KindOf(err), op, err)
			}
		}
		h, err := c.read(ctx, op, path)
		if err != nil {
			return "", err
		}
		wanted, err := next(h)
		switch {
		case err != nil:
			return "", err
		case maps.EqualFunc(h.values, wanted, func(a, b any) bool { return reflect.DeepEqual(a, b) }):
			return resolveAction(tried, h, values), nil
		}
		tried = toAction(h)
		if failed = c.write(ctx, op, path, h, wanted); failed == nil {
			return tried, nil
		}
		if !fault.Is(failed, fault.Conflict) && !fault.Is(failed, fault.Transient) {
			break
		}
	}
	return "", failed
}

// resolveAction returns the action of a write whose response was lost, if the secret has its values.
func resolveAction(tried state.Action, h secretVersion, values map[string]string) state.Action {
	for key, value := range values {
		if h.values[key] != value {
			return state.Found
		}
	}
	return tried
}

func toAction(h secretVersion) state.Action {
	if h.version == 0 {
		return state.Created
	}
	return state.Updated
}

func (c *Client) write(ctx context.Context, op, path string, h secretVersion, values map[string]any) error {
	if c.preview {
		return nil
	}
	client, err := c.requireClient(ctx, op)
	if err != nil {
		return err
	}
	_, err = client.KVv2(c.options.Mount).Put(ctx, path, values, api.WithCheckAndSet(h.version))
	switch {
	case err == nil:
		return nil
	case isVersionMismatch(err):
		return fault.New(fault.Conflict, op, errors.New("concurrent writes")).WithHint("run again")
	}
	right := "create"
	if h.version > 0 {
		right = "update"
	}
	return c.toDeniedFault(ctx, op, c.options.Mount+"/data/"+path, right, toFault(ctx, op, err, collectSecrets(client.Token(), values)...))
}

func collectSecrets(token string, values map[string]any) []string {
	secrets := []string{token}
	for _, value := range values {
		if text, err := formatValue(value); err == nil {
			secrets = append(secrets, text)
		}
	}
	return secrets
}

// sharedPrefix is the path of the secrets that all clusters use.
const sharedPrefix = "__shared__/"

// Delete deletes the newest version of a secret, so that it can be undone. A secret that is already gone is state.Found. One that
// other clusters use too is refused.
func (c *Client) Delete(ctx context.Context, path string) (state.Action, error) {
	op := "delete the secret " + sanitize(path)
	if strings.HasPrefix(path, sharedPrefix) || strings.Count(path, "/") < 2 {
		return "", fault.New(fault.Invalid, op, errors.New("it does not belong to a single cluster"))
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

// Restore undeletes the newest version of a secret, and returns state.Updated; Found: it is not deleted. A version that was
// destroyed is a fault.NotFound, and so is a secret of which Vault knows nothing: it never existed, or its metadata were deleted.
func (c *Client) Restore(ctx context.Context, path string) (state.Action, error) {
	op := "restore the secret " + sanitize(path) + " back"
	h, err := c.read(ctx, op, path)
	switch {
	case err != nil:
		return "", err
	case h.version == 0:
		return "", fault.New(fault.NotFound, op, errors.New("it never existed in Vault, or was deleted with its metadata"))
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
		err = fault.New(fault.Conflict, op, errors.New("the request succeeded, but the secret is still deleted")).WithHint("%s", c.restoreHint(path, h))
	}
	return state.Updated, err
}
