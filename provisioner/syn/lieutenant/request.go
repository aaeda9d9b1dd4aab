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
	patience  = 30 * time.Second // for one answer
	maxAnswer = 16 << 20         // bytes; a list of thousands of clusters has a few
	// longestPause is that before the last attempt; the first one is a second, and each next one twice as long.
	longestPause = 4 * time.Second
)

// call is one request of the API, and what it is made for.
type call struct {
	op           string // for errors
	field        string // the answer that is wrong if nothing is there
	method, path string
	body         any
	open         bool // nobody has to sign in for it
}

func get(op, field, path string) call {
	return call{op: op, field: field, method: http.MethodGet, path: path}
}

// do sends a request and reads its answer into into, which may be nil.
func (c *Client) do(ctx context.Context, asked call, into any) error {
	token := ""
	if !asked.open {
		var err error
		if token, err = c.tokens.Token(ctx); err != nil {
			return err
		}
	}
	failed := c.repeat(ctx, asked, token, into)
	if failed != nil && failed.unknown() && !asked.open {
		token, failed = c.renewed(ctx, asked, token, into, failed)
	}
	if failed == nil {
		return nil
	}
	return c.translate(ctx, asked, token, failed)
}

// renewed asks once more if there is another token in the place of one that is not accepted.
func (c *Client) renewed(ctx context.Context, asked call, token string, into any, failed *refusal) (string, *refusal) {
	tokens, able := c.tokens.(rejecter)
	if !able {
		return token, failed
	}
	tokens.Reject(token)
	another, err := c.tokens.Token(ctx)
	if err != nil || another == token {
		return token, failed
	}
	return another, c.repeat(ctx, asked, another, into)
}

// repeat sends a request again while that may help and cannot do harm.
func (c *Client) repeat(ctx context.Context, asked call, token string, into any) *refusal {
	failed := c.send(ctx, asked, token, into)
	for pause := time.Second; pause <= longestPause; pause *= 2 {
		if failed == nil || !failed.passing() || asked.method == http.MethodPost || c.clock.Sleep(ctx, pause) != nil {
			break
		}
		failed = c.send(ctx, asked, token, into)
	}
	return failed
}

func (c *Client) send(ctx context.Context, asked call, token string, into any) *refusal {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := c.request(ctx, asked, token)
	if err != nil {
		return &refusal{err: err}
	}
	answer, err := c.http.Do(request)
	switch {
	case fault.IsTooLarge(err):
		return &refusal{strange: network.Explain(err).Sentence}
	case err != nil:
		return &refusal{err: hideURL(err)}
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	switch {
	case fault.IsTooLarge(err):
		return &refusal{status: answer.StatusCode, strange: network.Explain(err).Sentence}
	case err != nil:
		return &refusal{err: hideURL(err)}
	case answer.StatusCode >= http.StatusMultipleChoices:
		return newRefusal(answer.StatusCode, content, token)
	case into == nil:
		return nil
	}
	if json.Unmarshal(content, into) != nil {
		return &refusal{status: answer.StatusCode, strange: strange(content)}
	}
	return nil
}

func (c *Client) request(ctx context.Context, asked call, token string) (*http.Request, error) {
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

// hideURL leaves the address out of an error: that of the install manifest is a secret.
func hideURL(err error) error {
	var about *url.Error
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}
