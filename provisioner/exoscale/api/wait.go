package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"exoshift/internal/fault"
)

const (
	// PollInterval is the pause between two polls: that of the API's own clients.
	PollInterval = 3 * time.Second
	// firstPoll is the pause before the first poll of an operation: many end at once.
	firstPoll = time.Second
	// waitLimit is how long an object may take to become as it should.
	waitLimit = 10 * time.Minute
	// operationLimit is long, as registering a template can take more than an hour.
	operationLimit = 3 * time.Hour
)

// Reference is how the API refers to an object.
type Reference struct {
	ID string `json:"id"`
}

// Operation is a change that the API has accepted and carries out.
type Operation struct {
	ID        string
	State     string
	Reference Reference // the object that it changes
}

const (
	operationPending = "pending"
	operationSuccess = "success"
)

// Get decodes what the API has at a path.
func (c *Client) Get(ctx context.Context, op, path string, into any) error {
	return c.Translate(ctx, op, c.Do(ctx, http.MethodGet, path, nil, into))
}

// Execute carries out a change and waits until its operation has ended.
func (c *Client) Execute(ctx context.Context, op, method, path string, body any) error {
	_, err := c.ExecuteChange(ctx, op, method, path, body)
	return c.Translate(ctx, op, err)
}

// ExecuteChange is Execute within ApplyChange, which translates what the API refuses. It returns the ID of the object, which some
// operations refer to only once they have ended.
func (c *Client) ExecuteChange(ctx context.Context, op, method, path string, body any) (id string, err error) {
	ordered, err := c.StartOperation(ctx, method, path, body)
	if err != nil || ordered.State == operationSuccess {
		return ordered.Reference.ID, err
	}
	if err := c.Sleep(ctx, op, firstPoll); err != nil {
		return "", err
	}
	ended, err := c.awaitOperation(ctx, op, ordered.ID, func(now Operation) bool { return now.State != operationPending })
	return cmp.Or(ordered.Reference.ID, ended.Reference.ID), err
}

func (c *Client) awaitOperation(ctx context.Context, op, id string, isDone func(Operation) bool) (now Operation, err error) {
	return now, c.Await(ctx, op, func(ctx context.Context) (string, error) {
		now = Operation{}
		if err := c.Get(ctx, op, "/operation/"+id, &now); err != nil || isDone(now) {
			return "", err
		}
		return "the operation has not ended", nil
	})
}

// AwaitReference waits until an operation whose first answer had no reference refers to its object, and returns that object's ID:
// "" if it has ended without a reference.
func (c *Client) AwaitReference(ctx context.Context, op string, ordered Operation) (id string, err error) {
	if ordered.Reference.ID != "" {
		return ordered.Reference.ID, nil
	}
	now, err := c.awaitOperation(ctx, op, ordered.ID, func(now Operation) bool {
		return now.State != operationPending || now.Reference.ID != ""
	})
	return now.Reference.ID, err
}

// Put is ExecuteChange of an update.
func (c *Client) Put(ctx context.Context, op, path string, body any) error {
	_, err := c.ExecuteChange(ctx, op, http.MethodPut, path, body)
	return err
}

// StartOperation requests a change and does not wait for it; of many changes only a few are requested at once. Its errors are
// not translated.
func (c *Client) StartOperation(ctx context.Context, method, path string, body any) (Operation, error) {
	var ordered Operation
	select {
	case c.changes <- struct{}{}:
	case <-ctx.Done():
		return ordered, context.Cause(ctx)
	}
	err := c.Do(ctx, method, path, body, &ordered)
	<-c.changes
	if err != nil {
		return ordered, err
	}
	if ordered.ID == "" {
		return ordered, errors.New("the response has no operation")
	}
	return ordered, nil
}

// IsPending reports whether an operation has not ended. It returns an operation's failure as an error with the API's message.
func (c *Client) IsPending(ctx context.Context, op, id string) (bool, error) {
	var now Operation
	if err := c.Get(ctx, op, "/operation/"+id, &now); err != nil {
		return false, err
	}
	return now.State == operationPending, nil
}

// Await polls until check returns nothing to wait for. After waitLimit it fails with fault.Timeout and what check returned last.
func (c *Client) Await(ctx context.Context, op string, check func(context.Context) (waiting string, err error)) error {
	waiting, failed := "", error(nil)
	done, err := c.Clock.Poll(ctx, PollInterval, waitLimit, func() (bool, error) {
		waiting, failed = check(ctx)
		return failed == nil && waiting == "", failed
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return fault.New(fault.KindOf(ctx.Err()), op, err)
	case !done:
		return fault.Newf(fault.Timeout, op, "%s after %s", waiting, waitLimit).
			WithHint("check it in the Exoscale portal; run again to continue waiting")
	}
	return nil
}

// Sleep waits by the client's clock. It fails only if ctx ends.
func (c *Client) Sleep(ctx context.Context, op string, pause time.Duration) error {
	if err := c.Clock.Sleep(ctx, pause); err != nil {
		return fault.New(fault.KindOf(ctx.Err()), op, err)
	}
	return nil
}
