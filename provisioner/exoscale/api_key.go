package exoscale

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

const keyPath = "/api-key"

// apiKey holds the secret only in the response to its creation.
type apiKey struct {
	Name   string `json:"name"`
	Key    string `json:"key,omitempty"`
	RoleID string `json:"role-id"`
	Secret string `json:"secret,omitempty"`
}

// EnsureAPIKey creates a key for a role and passes it with its secret to keep before the journal records it as done, or finds the
// key that the caller has. A key of that name that the caller does not have, or that has another role, is unusable: it is
// replaced if an earlier run intended to create it and never received its secret, otherwise it is a fault.Conflict. The secret is
// not part of the journal, of errors and of logs.
func (c *IAM) EnsureAPIKey(ctx context.Context, key state.APIKey, keep func(state.APIKey) error) (action state.Action, err error) {
	err = api.Repeat(ctx, c.api, "ensure "+state.KindAPIKey+" "+key.Name, func(ctx context.Context) (err error) {
		action, err = c.ensureAPIKey(ctx, key, keep)
		return err
	})
	return action, err
}

func (c *IAM) ensureAPIKey(ctx context.Context, key state.APIKey, keep func(state.APIKey) error) (state.Action, error) {
	live, err := c.listAPIKeys(ctx, key.Name)
	switch {
	case err != nil:
		return "", err
	case len(live) == 0:
		return state.Created, c.createAPIKey(ctx, key, keep)
	case len(live) > 1:
		return "", api.NewAmbiguousError(api.Object[apiKey]{
			Kind: state.KindAPIKey, Name: key.Name, ID: func(k *apiKey) string { return k.Key },
		}, live)
	}
	if live[0].Key == key.Key && live[0].RoleID == key.RoleID {
		return state.Found, nil
	}
	if !c.api.HasIntent(state.KindAPIKey, key.Name) {
		return "", newKeyConflict(key, live[0])
	}
	if err := c.deleteAPIKey(ctx, live[0]); err != nil {
		return "", err
	}
	return state.Created, c.createAPIKey(ctx, key, keep)
}

func newKeyConflict(wanted state.APIKey, live *apiKey) error {
	op := "ensure " + state.KindAPIKey + " " + wanted.Name
	if live.Key == wanted.Key {
		return fault.Newf(fault.Conflict, op, "key %s has role %s instead of %s", live.Key, live.RoleID, wanted.RoleID).
			WithHint("delete the key with `exo iam api-key delete %s` if it is unused, then run again", live.Key)
	}
	return fault.Newf(fault.Conflict, op, "key %s has that name, but its secret is not stored here", live.Key).
		WithHint("restore the folder with its secret, or delete the key with `exo iam api-key delete %s` if it is unused, then run again", live.Key)
}

func (c *IAM) listAPIKeys(ctx context.Context, name string) ([]*apiKey, error) {
	var list struct {
		Keys []*apiKey `json:"api-keys"`
	}
	err := c.api.Get(ctx, "list API keys", keyPath, &list)
	return filterMatching(list.Keys, func(k *apiKey) bool { return k.Name == name }), err
}

func (c *IAM) createAPIKey(ctx context.Context, wanted state.APIKey, keep func(state.APIKey) error) error {
	return c.api.ApplyChange(ctx, state.Created, state.KindAPIKey, wanted.Name, func(ctx context.Context) (string, error) {
		var made apiKey
		body := apiKey{Name: wanted.Name, RoleID: wanted.RoleID}
		if err := c.api.Do(ctx, http.MethodPost, keyPath, body, &made); err != nil {
			return "", err
		}
		if made.Key == "" || made.Secret == "" {
			return "", errors.New("the response has no key and secret")
		}
		wanted.Key, wanted.Secret = made.Key, made.Secret
		return made.Key, keep(wanted)
	})
}

func (c *IAM) deleteAPIKey(ctx context.Context, live *apiKey) error {
	return c.api.ApplyChange(ctx, state.Deleted, state.KindAPIKey, live.Name, func(ctx context.Context) (string, error) {
		op := "delete " + state.KindAPIKey + " " + live.Name
		_, err := c.api.ExecuteChange(ctx, op, http.MethodDelete, keyPath+"/"+url.PathEscape(live.Key), nil)
		return live.Key, c.api.IgnoreNotFound(ctx, err)
	})
}
