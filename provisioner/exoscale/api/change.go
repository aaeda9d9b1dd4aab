package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"
)

// Object is an object that has to exist once.
type Object[T any] struct {
	Kind, Name string                              // as in the journal and in errors
	Find       func(context.Context) ([]*T, error) // all that have the name
	Create     func(context.Context) (*T, error)
	ID         func(*T) string
}

// Ensure uses the only object of that name, creates it if there is none, and fails with a conflict if there are several. In a
// preview, an object that would be created is its zero value. After a creation with an ambiguous answer it searches again.
func Ensure[T any](ctx context.Context, c *Client, o Object[T]) (made *T, action state.Action, err error) {
	err = Repeat(ctx, c, "ensure "+o.Kind+" "+o.Name, func(ctx context.Context) (err error) {
		made, action, err = ensureOnce(ctx, c, o)
		return err
	})
	return made, action, err
}

func ensureOnce[T any](ctx context.Context, c *Client, o Object[T]) (*T, state.Action, error) {
	made := new(T)
	found, err := o.Find(ctx)
	switch {
	case err != nil:
		return made, "", err
	case len(found) == 1:
		action, err := c.RecordAdoption(o.Kind, o.Name, o.ID(found[0]))
		return found[0], action, err
	case len(found) > 1:
		return made, "", NewAmbiguousError(o, found)
	}
	err = c.ApplyChange(ctx, state.Created, o.Kind, o.Name, func(ctx context.Context) (string, error) {
		created, err := o.Create(ctx)
		if err != nil {
			return "", err
		}
		made = created
		return o.ID(made), nil
	})
	return made, state.Created, err
}

// NewAmbiguousError is for several objects where there may be one.
func NewAmbiguousError[T any](o Object[T], found []*T) error {
	ids := make([]string, len(found))
	for i, one := range found {
		ids[i] = o.ID(one)
	}
	return fault.Newf(fault.Conflict, "ensure "+o.Kind+" "+o.Name, "there are %d with this name: %s",
		len(found), strings.Join(ids, ", ")).WithHint("delete or rename all but one, then run again")
}

// RecordAdoption records an object that was found: an earlier run may have created it and been killed before it recorded that.
func (c *Client) RecordAdoption(kind, name, id string) (state.Action, error) {
	if c.preview || !c.HasIntent(kind, name) {
		return state.Found, nil
	}
	return state.Adopted, c.recordResult(kind, name, id, state.Adopted)
}

// HasIntent reports whether an earlier run recorded the intent to change an object of that name, but no result.
func (c *Client) HasIntent(kind, name string) bool { return c.journal.Open(kind, name) }

// ApplyChange records the intent before do and the result after it. Every mutation goes through it; in a preview it does nothing.
func (c *Client) ApplyChange(ctx context.Context, action state.Action, kind, name string, do func(context.Context) (id string, err error)) error {
	if c.preview {
		return nil
	}
	op := formatVerb(action) + " " + kind + " " + name
	doubtful := c.HasIntent(kind, name) // a refusal does not show the result of an earlier request whose response was lost
	if err := c.journal.RecordIntent(kind, name); err != nil {
		return fault.New(fault.Internal, op, fmt.Errorf("record the intent in the journal: %w", err))
	}
	id, err := Call(ctx, c, op, do)
	switch {
	case err == nil && id == "" && action == state.Created: // the intent stays open, so that a later run adopts the object
		return fault.Newf(fault.Internal, op, "the response has no ID of the new object").
			WithHint("run again: existing objects are found by name")
	case err == nil:
		return c.recordResult(kind, name, id, action)
	case isRefused(err) && !doubtful:
		return cmp.Or(c.recordResult(kind, name, "", state.Failed), err)
	}
	return wrapReadBack(err)
}

// isRefused reports whether a change certainly had no effect: the API did not accept it, or its operation failed.
func isRefused(err error) bool {
	var failed *requestError
	if !errors.As(err, &failed) {
		return false
	}
	return failed.operation == "failure" || failed.method != http.MethodGet && failed.status >= 400 && failed.status < 500
}

func (c *Client) recordResult(kind, name, id string, action state.Action) error {
	if err := c.journal.RecordResult(kind, name, id, action); err != nil {
		return fault.New(fault.Internal, "note "+kind+" "+name+" in the journal", err)
	}
	return nil
}

func formatVerb(action state.Action) string {
	switch action {
	case state.Created:
		return "create"
	case state.Deleted:
		return "delete"
	}
	return "update"
}

// wrapReadBack changes the kind of an error to that of a change that was made but cannot be read back yet.
func wrapReadBack(err error) error {
	var failed *requestError
	if fault.Is(err, fault.NotFound) && errors.As(err, &failed) && failed.operation == "" && failed.method == http.MethodGet {
		return fault.New(fault.Transient, "read back what was changed", err)
	}
	return err
}
