package exoscale

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

// Kinds of objects in the journal and in errors.
const (
	kindSSHKey            = "ssh-key"
	kindSecurityGroup     = "security-group"
	kindRule              = "security-group-rule"
	kindAntiAffinityGroup = "anti-affinity-group"
	kindElasticIP         = "elastic-ip"
	kindAttachment        = "elastic-ip-attachment"
	kindReverseDNS        = "reverse-dns"
	kindZone              = "dns-zone"
	kindRecord            = state.KindRecord
	kindTemplate          = "template"
	kindInstance          = "instance"
)

type object[T any] struct {
	kind, name string
	find       func(context.Context) ([]*T, error) // all that have the name
	create     func(context.Context) (*T, error)
	id         func(*T) string
}

// ensure uses the only object of that name, creates it if there is none, and fails with a conflict if there are several. In a
// preview, an object that would be created is its zero value.
func ensure[T any](ctx context.Context, c *Client, o object[T]) (*T, state.Action, error) {
	made := new(T)
	found, err := o.find(ctx)
	switch {
	case err != nil:
		return made, "", err
	case len(found) == 1:
		action, err := c.recordAdoption(o.kind, o.name, o.id(found[0]))
		return found[0], action, err
	case len(found) > 1:
		return made, "", newAmbiguousError(o, found)
	}
	err = c.applyChange(ctx, state.Created, o.kind, o.name, func(ctx context.Context) (string, error) {
		created, err := o.create(ctx)
		if err != nil {
			return "", err
		}
		made = created
		return o.id(made), nil
	})
	return made, state.Created, err
}

func newAmbiguousError[T any](o object[T], found []*T) error {
	ids := make([]string, len(found))
	for i, one := range found {
		ids[i] = o.id(one)
	}
	return fault.Newf(fault.Conflict, "ensure "+o.kind+" "+o.name, "there are %d of that name: %s",
		len(found), strings.Join(ids, ", ")).WithHint("delete or rename all but one, then run again")
}

// recordAdoption records an object that was found: an earlier run may have created it and been killed before it recorded that.
func (c *Client) recordAdoption(kind, name, id string) (state.Action, error) {
	if c.preview || !c.hasIntent(kind, name) {
		return state.Found, nil
	}
	return state.Adopted, c.recordResult(kind, name, id, state.Adopted)
}

// hasIntent reports whether an earlier run recorded the intent to change an object of that name, but no result.
func (c *Client) hasIntent(kind, name string) bool {
	memory, ok := c.journal.(interface{ Open(kind, name string) bool })
	return ok && memory.Open(kind, name)
}

// applyChange records the intent before do and the result after it. Every mutation goes through it; in a preview it does nothing.
func (c *Client) applyChange(ctx context.Context, action state.Action, kind, name string, do func(context.Context) (id string, err error)) error {
	if c.preview {
		return nil
	}
	op := formatVerb(action) + " " + kind + " " + name
	doubtful := c.hasIntent(kind, name) // a refusal does not show the result of an earlier request whose response was lost
	if err := c.journal.RecordIntent(kind, name); err != nil {
		return fault.New(fault.Internal, op, fmt.Errorf("note the intent in the journal: %w", err))
	}
	id, err := call(ctx, c, op, do)
	switch {
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

func mergeUpdated(action state.Action) state.Action {
	if action == state.Found {
		return state.Updated
	}
	return action
}
