package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/fault"
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
		return "nobody can bring it back; if nothing needs it any more, let " + forget + " forget it, then run again"
	}
	return fmt.Sprintf("`vault kv undelete -mount=%s -versions=%d %s` brings it back; only if nothing needs it any more, let %s forget it; then run again",
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
				Version int    `json:"version"`
				Deleted string `json:"deletion_time"`
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
	return h, nil
}
