package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/vault/api"
	"golang.org/x/sync/errgroup"

	"exoshift/internal/fault"
	"exoshift/state"
)

type secretVersion struct {
	version int            // 0: there was never one
	values  map[string]any // nil if it is deleted, or never existed
	deleted string         // when; "" if it was destroyed or is not deleted
}

func (h secretVersion) isDeleted() bool { return h.version > 0 && h.values == nil }

func (h secretVersion) has(key string) bool {
	_, ok := h.values[key]
	return ok
}

// GetSecret returns the newest version of a secret, or fault.NotFound. Values that are not strings are returned as JSON.
func (c *Client) GetSecret(ctx context.Context, path string) (map[string]string, error) {
	op := "read the secret " + sanitize(path)
	h, err := c.read(ctx, op, path)
	switch {
	case err != nil:
		return nil, err
	case h.isDeleted():
		return nil, fault.New(fault.NotFound, op, h.deletionError()).WithHint("%s", c.restoreHint(path, h))
	case h.values == nil:
		return nil, fault.New(fault.NotFound, op, errors.New("there is none"))
	}
	values := make(map[string]string, len(h.values))
	for key, value := range h.values {
		if values[key], err = formatValue(value); err != nil {
			return nil, fault.Newf(fault.Invalid, op, "the key %s cannot be read", sanitize(key))
		}
	}
	return values, nil
}

func formatValue(value any) (string, error) {
	if text, ok := value.(string); ok {
		return text, nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}

func (h secretVersion) deletionError() error {
	if h.deleted == "" {
		return fmt.Errorf("its version %d was destroyed", h.version)
	}
	return fmt.Errorf("it was deleted at %s", h.deleted)
}

func (c *Client) restoreHint(path string, h secretVersion) string {
	forget := fmt.Sprintf("`vault kv metadata delete -mount=%s %s`", c.options.Mount, path)
	if h.deleted == "" {
		return "it cannot be restored; if it is no longer needed, delete its metadata with " + forget + ", then run again"
	}
	return fmt.Sprintf("`vault kv undelete -mount=%s -versions=%d %s` restores it; only if it is no longer needed, delete its metadata with %s; then run again",
		c.options.Mount, h.version, path, forget)
}

func (c *Client) read(ctx context.Context, op, path string) (secretVersion, error) {
	if err := checkPath(op, path); err != nil {
		return secretVersion{}, err
	}
	client, err := c.ensureReady(ctx, op)
	if err != nil {
		return secretVersion{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxRetries*callTimeout, fmt.Errorf("no answer within %s", maxRetries*callTimeout))
	defer cancel()
	place := c.options.Mount + "/data/" + path
	answer, err := client.Logical().ReadRawWithContext(ctx, place)
	if answer != nil {
		defer func() { _ = answer.Body.Close() }()
	}
	if err != nil && !isNotFound(err) {
		return secretVersion{}, c.toDeniedFault(ctx, op, place, "read", toFault(ctx, op, err, client.Token()))
	}
	h, err := parseSecret(answer.Body)
	if err != nil {
		return secretVersion{}, newAnswerError(op)
	}
	return h, nil
}

// isNotFound reports whether the store itself returned 404: the response for a path without a store has a message.
func isNotFound(err error) bool {
	var answer *api.ResponseError
	return errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound && !answer.RawError &&
		!strings.Contains(strings.Join(answer.Errors, " "), "no handler")
}

// parseSecret reads {"data": {"data": ..., "metadata": ...}}; without data there is no such secret.
func parseSecret(body io.Reader) (secretVersion, error) {
	var answer struct {
		Data *struct {
			Data     map[string]any `json:"data"`
			Metadata struct {
				Version   int    `json:"version"`
				Deleted   string `json:"deletion_time"`
				Destroyed bool   `json:"destroyed"`
			} `json:"metadata"`
		} `json:"data"`
	}
	decoder := json.NewDecoder(body)
	decoder.UseNumber() // foreign values are written back unchanged
	if err := decoder.Decode(&answer); err != nil {
		return secretVersion{}, err
	}
	if answer.Data == nil {
		return secretVersion{}, nil
	}
	h := secretVersion{version: answer.Data.Metadata.Version, values: answer.Data.Data, deleted: sanitize(answer.Data.Metadata.Deleted)}
	if h.version < 1 {
		return secretVersion{}, errors.New("a secret without a version")
	}
	if h.values == nil && h.deleted == "" && !answer.Data.Metadata.Destroyed { // somebody wrote null
		h.values = map[string]any{}
	}
	return h, nil
}

// probeName is a secret that is never created: its permissions are those of any secret below the same path.
const probeName = "exoshift-check"

// Check fails with fault.Denied unless secrets below path may be read and created. It reads the policies and creates nothing.
func (c *Client) Check(ctx context.Context, path string) error {
	op := "check the permissions in Vault below " + sanitize(path)
	if err := checkPath(op, path); err != nil {
		return err
	}
	client, err := c.ensureReady(ctx, op)
	if err != nil {
		return err
	}
	place := c.options.Mount + "/data/" + path
	allowed, err := client.Sys().CapabilitiesSelfWithContext(ctx, place+"/"+probeName)
	if err != nil {
		return c.toDeniedFault(ctx, op, "sys/capabilities-self", "update", toFault(ctx, op, err, client.Token()))
	}
	if slices.Contains(allowed, "root") {
		return nil
	}
	var lacking []string
	for _, right := range []string{"create", "read", "update"} {
		if !slices.Contains(allowed, right) {
			lacking = append(lacking, right)
		}
	}
	if lacking == nil {
		return nil
	}
	return fault.Newf(fault.Denied, op, "the token has no permission to %s secrets there", strings.Join(lacking, ", ")).
		WithHint("ask the operator of Vault for a policy with create, read and update on %s/*, or sign in as a user with it", place)
}

const maxReaders = 8

// ListMissing returns those of the values that do not exist, in order. Each path is read once, and only the existence of keys is
// checked. A path that may not be read is an error, because it is unknown what exists there.
func (c *Client) ListMissing(ctx context.Context, wanted []state.VaultSecret) ([]state.VaultSecret, error) {
	paths := listPaths(wanted)
	if len(paths) == 0 {
		return nil, nil
	}
	if _, err := c.ensureReady(ctx, "list secrets in Vault"); err != nil { // once, before many goroutines do it
		return nil, err
	}
	found := make([]secretVersion, len(paths))
	failures := make([]error, len(paths))
	group := new(errgroup.Group)
	group.SetLimit(maxReaders)
	for i, path := range paths {
		group.Go(func() error {
			found[i], failures[i] = c.read(ctx, "find the secret "+sanitize(path), path)
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
