package lieutenant

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

const (
	requestTimeout = 30 * time.Second // of one attempt
	maxAnswer      = 16 << 20         // bytes; a list of thousands of clusters has a few million
	// maxPause is the pause before the last attempt; the first one is a second, and each next one twice as long.
	maxPause = 4 * time.Second
)

type call struct {
	op           string // for errors
	field        string // the field that is wrong if nothing is found
	method, path string
	body         any
	anonymous    bool // sent without a token
}

func newGetCall(op, field, path string) call {
	return call{op: op, field: field, method: http.MethodGet, path: path}
}

func (c *connection) do(ctx context.Context, asked call, into any) error {
	token := ""
	if !asked.anonymous {
		var err error
		if token, err = c.tokens.Token(ctx); err != nil {
			return err
		}
	}
	failed := c.sendWithRetry(ctx, asked, token, into)
	if failed != nil && failed.isUnauthorized() && !asked.anonymous {
		token, failed = c.retryWithNewToken(ctx, asked, token, into, failed)
	}
	if failed == nil {
		return nil
	}
	return c.toFault(ctx, asked, token, failed)
}

// retryWithNewToken repeats the request if a new token has replaced the one that was not accepted.
func (c *connection) retryWithNewToken(ctx context.Context, asked call, token string, into any, failed *apiError) (string, *apiError) {
	tokens, able := c.tokens.(rejecter)
	if !able {
		return token, failed
	}
	tokens.Reject(token)
	another, err := c.tokens.Token(ctx)
	if err != nil || another == token {
		return token, failed
	}
	return another, c.sendWithRetry(ctx, asked, another, into)
}

// sendWithRetry repeats a request while that may help and is safe.
func (c *connection) sendWithRetry(ctx context.Context, asked call, token string, into any) *apiError {
	failed := c.send(ctx, asked, token, into)
	for pause := time.Second; pause <= maxPause; pause *= 2 {
		if failed == nil || !failed.isTemporary() || asked.method == http.MethodPost || c.clock.Sleep(ctx, pause) != nil {
			break
		}
		failed = c.send(ctx, asked, token, into)
	}
	return failed
}

func (c *connection) send(ctx context.Context, asked call, token string, into any) *apiError {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := c.newRequest(ctx, asked, token)
	if err != nil {
		return &apiError{err: err}
	}
	answer, err := c.http.Do(request)
	switch {
	case fault.IsTooLarge(err):
		return &apiError{unexpectedBody: network.DescribeError(err).Sentence}
	case err != nil:
		return &apiError{err: hideURL(err)}
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	switch {
	case fault.IsTooLarge(err):
		return &apiError{status: answer.StatusCode, unexpectedBody: network.DescribeError(err).Sentence}
	case err != nil:
		return &apiError{err: hideURL(err)}
	case answer.StatusCode >= http.StatusMultipleChoices:
		return newAPIError(answer.StatusCode, content, token)
	case into == nil:
		return nil
	}
	if json.Unmarshal(content, into) != nil {
		return &apiError{status: answer.StatusCode, unexpectedBody: describeUnexpected(content)}
	}
	return nil
}

func (c *connection) newRequest(ctx context.Context, asked call, token string) (*http.Request, error) {
	var content io.Reader = http.NoBody
	if asked.body != nil {
		text, err := json.Marshal(asked.body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, asked.method, c.base+asked.path, content)
	if err != nil {
		return nil, hideURL(err)
	}
	request.Header.Set("User-Agent", "exoshift")
	request.Header.Set("Accept", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	switch {
	case asked.method == http.MethodPatch:
		request.Header.Set("Content-Type", "application/merge-patch+json")
	case asked.body != nil:
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}

// hideURL removes the URL from an error: that of the install manifest is a secret.
func hideURL(err error) error {
	var about *url.Error
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}
