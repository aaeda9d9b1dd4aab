package objects

import (
	"context"
	"io"
	"net/http"

	"exoshift/internal/fault"
	"exoshift/state"
)

// CheckPrivate requests an object without a signature, and fails with fault.Conflict unless that is refused.
func (c *Client) CheckPrivate(ctx context.Context, bucket, key string) error {
	op := "check that strangers cannot read " + bucket + "/" + key
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+state.ObjectStorageHost(c.zone)+"/"+bucket+"/"+key, nil)
	if err != nil {
		return fault.New(fault.Invalid, op, err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return c.translate(ctx, op, err)
	}
	defer func() { _ = response.Body.Close() }()
	// An unread body would prevent the connection from being reused.
	_, _ = io.CopyN(io.Discard, response.Body, 1<<16)
	switch code := response.StatusCode; {
	case code == http.StatusForbidden, code == http.StatusUnauthorized:
		return nil
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		return fault.Newf(fault.Transient, op, "the object storage answered %d %s", code, http.StatusText(code))
	}
	return fault.Newf(fault.Conflict, op, "it answered %d %s to a request without a signature", response.StatusCode, http.StatusText(response.StatusCode)).
		WithHint("take the public access off bucket %s: look at its policy and its access control list", bucket)
}
