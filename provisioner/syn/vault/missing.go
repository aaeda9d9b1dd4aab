package vault

import (
	"context"

	"golang.org/x/sync/errgroup"

	"exoshift/state"
)

const maxReaders = 8

// ListMissing returns those of the values that do not exist, in order. Each path is read once, and only the existence of keys is
// checked. A path that may not be read is an error, because it is unknown what exists there.
func (c *Client) ListMissing(ctx context.Context, wanted []state.VaultSecret) ([]state.VaultSecret, error) {
	paths := listPaths(wanted)
	if len(paths) == 0 {
		return nil, nil
	}
	if _, err := c.ensureReady(ctx, "look for secrets in Vault"); err != nil { // once, before many goroutines do it
		return nil, err
	}
	found := make([]secretVersion, len(paths))
	failures := make([]error, len(paths))
	group := new(errgroup.Group)
	group.SetLimit(maxReaders)
	for i, path := range paths {
		group.Go(func() error {
			found[i], failures[i] = c.read(ctx, "look for the secret "+sanitize(path), path)
			return nil
		})
	}
	_ = group.Wait() // all are read, so that the first failure in order is returned
	at := make(map[string]secretVersion, len(paths))
	for i, path := range paths {
		if failures[i] != nil {
			return nil, failures[i]
		}
		at[path] = found[i]
	}
	var missing []state.VaultSecret
	for _, secret := range wanted {
		if !at[secret.Path].has(secret.Key) {
			missing = append(missing, secret)
		}
	}
	return missing, nil
}

func listPaths(wanted []state.VaultSecret) []string {
	var paths []string
	seen := map[string]bool{}
	for _, secret := range wanted {
		if !seen[secret.Path] {
			seen[secret.Path] = true
			paths = append(paths, secret.Path)
		}
	}
	return paths
}
