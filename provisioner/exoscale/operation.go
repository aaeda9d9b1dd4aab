package exoscale

import (
	"context"
	"errors"
	"net/http"

	"exoshift/internal/fault"
)

type operation struct {
	ID        string
	State     string
	Reference struct{ ID string } // the object that it changes
}

const (
	operationPending = "pending"
	operationSuccess = "success"
)

func (c *Client) startOperation(ctx context.Context, method, path string, body any) (operation, error) {
	var ordered operation
	if err := c.rest.do(ctx, method, path, body, &ordered); err != nil {
		return ordered, err
	}
	if ordered.ID == "" {
		return ordered, errors.New("the API gave an answer without an operation")
	}
	return ordered, nil
}

// isPending returns an operation's failure as an error with the API's message.
func (c *Client) isPending(ctx context.Context, op, id string) (bool, error) {
	var now operation
	if err := c.get(ctx, op, "/operation/"+id, &now); err != nil {
		return false, err
	}
	return now.State == operationPending, nil
}

func (c *Client) executeChange(ctx context.Context, op, method, path string, body any) (id string, err error) {
	ordered, err := c.startOperation(ctx, method, path, body)
	if err != nil || ordered.State == operationSuccess {
		return ordered.Reference.ID, err
	}
	if err := c.clock.Sleep(ctx, pollInterval); err != nil {
		return "", fault.New(fault.KindOf(ctx.Err()), op, err)
	}
	return ordered.Reference.ID, c.await(ctx, op, func(ctx context.Context) (string, error) {
		goes, err := c.isPending(ctx, op, ordered.ID)
		if err != nil || !goes {
			return "", err
		}
		return "its operation is pending", nil
	})
}

func (c *Client) put(ctx context.Context, op, path string, body any) error {
	_, err := c.executeChange(ctx, op, http.MethodPut, path, body)
	return err
}
