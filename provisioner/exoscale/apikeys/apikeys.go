// Package apikeys replaces API keys of the organization: for a time, there are two of one name.
package apikeys

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
	"exoshift/state/rotation"
)

// Rotation creates and deletes API keys by their IDs.
type Rotation struct{ api *api.Client }

// New returns the rotation of a client's organization.
func New(client *api.Client) *Rotation { return &Rotation{client} }

const path = "/api-key"

// wireKey holds the secret only in the response to its creation.
type wireKey struct {
	Name   string `json:"name"`
	Key    string `json:"key,omitempty"`
	RoleID string `json:"role-id"`
	Secret string `json:"secret,omitempty"`
}

// ListAPIKeys returns all keys of a name, without their secrets.
func (r *Rotation) ListAPIKeys(ctx context.Context, name string) ([]state.APIKey, error) {
	var list struct {
		Keys []wireKey `json:"api-keys"`
	}
	if err := r.api.Get(ctx, "list API keys", path, &list); err != nil {
		return nil, err
	}
	var found []state.APIKey
	for _, key := range list.Keys {
		if key.Name == name {
			found = append(found, state.APIKey{Name: key.Name, Key: key.Key, RoleID: key.RoleID})
		}
	}
	return found, nil
}

// CreateAPIKey creates one more key of that name and role, and passes it with its secret to keep before the journal records it as done. The
// secret is not part of the journal, of errors and of logs. After a failure there may be a key whose secret nobody has.
func (r *Rotation) CreateAPIKey(ctx context.Context, wanted state.APIKey, keep func(state.APIKey) error) (made state.APIKey, err error) {
	err = r.api.ApplyChange(ctx, state.Created, state.KindAPIKey, wanted.Name, func(ctx context.Context) (string, error) {
		var answer wireKey
		if err := r.api.Do(ctx, http.MethodPost, path, wireKey{Name: wanted.Name, RoleID: wanted.RoleID}, &answer); err != nil {
			return "", err
		}
		if answer.Key == "" || answer.Secret == "" {
			return "", errors.New("the response has no key and secret")
		}
		made = state.APIKey{Name: wanted.Name, RoleID: wanted.RoleID, Key: answer.Key, Secret: answer.Secret}
		return made.Key, keep(made)
	})
	return made, err
}

// DeleteAPIKey deletes a key by its ID: state.Found if it is gone already.
func (r *Rotation) DeleteAPIKey(ctx context.Context, key state.APIKey) (state.Action, error) {
	live, err := r.ListAPIKeys(ctx, key.Name)
	if err != nil {
		return "", err
	}
	gone := true
	for _, one := range live {
		gone = gone && one.Key != key.Key
	}
	if gone {
		return state.Found, nil
	}
	err = r.api.ApplyChange(ctx, state.Deleted, state.KindAPIKey, key.Name, func(ctx context.Context) (string, error) {
		op := "delete " + state.KindAPIKey + " " + key.Name
		_, err := r.api.ExecuteChange(ctx, op, http.MethodDelete, path+"/"+url.PathEscape(key.Key), nil)
		return key.Key, r.api.IgnoreNotFound(ctx, err)
	})
	return state.Deleted, err
}

// Neither a key nor a role is called so.
const (
	noKey  = "EXO000000000000000000000000"
	noRole = "00000000-0000-0000-0000-000000000000"
)

// CheckKeyRights returns a fault.Denied unless the program's own credentials may list, create and delete API keys, and list events. It
// requests what cannot have an effect: a key of a role that does not exist, and the deletion of a key that does not exist. A request that is
// not allowed is refused for that.
func (r *Rotation) CheckKeyRights(ctx context.Context, name string) error {
	if _, err := r.ListAPIKeys(ctx, name); err != nil {
		return withRights(err)
	}
	if _, err := r.ListKeyCalls(ctx, noKey, r.api.Clock.Now().Add(-time.Minute)); err != nil {
		return withRights(err)
	}
	const op = "check whether API keys may be created"
	var made wireKey
	err := r.api.Translate(ctx, op, r.api.Do(ctx, http.MethodPost, path, wireKey{Name: name, RoleID: noRole}, &made))
	switch {
	case err == nil && made.Key != "":
		_, err = r.DeleteAPIKey(ctx, state.APIKey{Name: name, Key: made.Key})
		return errors.Join(fault.Newf(fault.Internal, op, "the API created a key of a role that does not exist"), err)
	case isBlocking(err):
		return withRights(err)
	}
	const deletion = "check whether API keys may be deleted"
	if err := r.api.Translate(ctx, deletion, r.api.Do(ctx, http.MethodDelete, path+"/"+noKey, nil, nil)); isBlocking(err) {
		return withRights(err)
	}
	return nil
}

// isBlocking reports whether a request was refused for another reason than what it asks for.
func isBlocking(err error) bool {
	return fault.Is(err, fault.Denied) || fault.Is(err, fault.Transient) || fault.Is(err, fault.Timeout) || fault.Is(err, fault.Quota)
}

func withRights(err error) error {
	var denied *fault.Error
	if !fault.Is(err, fault.Denied) || !errors.As(err, &denied) {
		return err
	}
	return fault.New(fault.Denied, denied.Op, denied.Err).
		WithHint("use an API key whose IAM role allows list-api-keys, create-api-key, delete-api-key and list-events")
}

// wireCall is an entry of the audit trail, which has changes only.
type wireCall struct {
	Time      time.Time `json:"timestamp"`
	Operation string    `json:"handler"`
	Status    int       `json:"status"`
	Key       wireKey   `json:"iam-api-key"`
}

// ListKeyCalls returns the changes that were requested with a key since a time.
func (r *Rotation) ListKeyCalls(ctx context.Context, key string, since time.Time) ([]rotation.Call, error) {
	var all []wireCall
	query := url.Values{"from": {since.UTC().Format(time.RFC3339)}}
	if err := r.api.Get(ctx, "list events", "/event?"+query.Encode(), &all); err != nil {
		return nil, err
	}
	var found []rotation.Call
	for _, call := range all {
		if call.Key.Key == key {
			found = append(found, rotation.Call{Time: call.Time, Operation: call.Operation, Accepted: call.Status == http.StatusOK})
		}
	}
	return found, nil
}
