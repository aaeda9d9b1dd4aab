// Package access creates what the cluster itself uses of Exoscale: its restricted API keys, and its buckets.
package access

import (
	"context"
	"encoding/json"
	"fmt"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Cloud creates API keys with restricted roles. Of one name there is one object: it is found, or created; several are a
// fault.Conflict.
type Cloud interface {
	EnsureRole(ctx context.Context, role state.IAMRole) (state.IAMRole, state.Action, error)
	// EnsureAPIKey creates a key and passes it to keep, with its secret, before it is recorded in the journal: the API
	// returns a secret once. A key whose secret was lost is replaced; a foreign one is a fault.Conflict.
	EnsureAPIKey(ctx context.Context, key state.APIKey, keep func(state.APIKey) error) (state.Action, error)
}

// KeyStore stores the API keys of policies: the cluster's folder, or Vault.
type KeyStore interface {
	// LoadAPIKey returns a key that was kept, or one without key and secret; its name may be missing.
	LoadAPIKey(ctx context.Context, report provisioner.Report, policy string) (state.APIKey, error)
	// KeepAPIKey returns a function that stores the key of a policy.
	KeepAPIKey(ctx context.Context, report provisioner.Report, policy string) func(state.APIKey) error
	// IsSignedOut reports whether a preview goes on without the store.
	IsSignedOut() bool
}

// Keys creates the cluster's own API keys: each component that calls Exoscale gets a key of a role with its own
// permissions only. The keys are stored, as the API returns a secret once.
type Keys struct {
	spec  state.Spec
	cloud Cloud
	store KeyStore
}

// NewKeys returns the API keys of a cluster.
func NewKeys(spec state.Spec, cloud Cloud, store KeyStore) *Keys {
	return &Keys{spec: spec, cloud: cloud, store: store}
}

// Ensure creates the roles and keys.
func (k *Keys) Ensure(ctx context.Context, report provisioner.Report) error {
	return provisioner.ForEach(ctx, assets.ListPolicies(), func(ctx context.Context, policy string) error {
		return k.ensureKey(ctx, report, policy)
	})
}

func (k *Keys) ensureKey(ctx context.Context, report provisioner.Report, policy string) error {
	role, err := newRole(k.spec, policy)
	if err != nil {
		return err
	}
	role, action, err := k.cloud.EnsureRole(ctx, role)
	if err != nil {
		return err
	}
	report.EmitObject(state.KindRole, role.Name, role.ID, string(action))
	if k.store.IsSignedOut() {
		return nil // whether the key exists is known to Vault only
	}
	kept, err := k.Load(ctx, report, policy)
	if err != nil {
		return err
	}
	kept.RoleID = role.ID
	action, err = k.cloud.EnsureAPIKey(ctx, kept, k.store.KeepAPIKey(ctx, report, policy))
	if err != nil {
		return err
	}
	report.EmitObject(state.KindAPIKey, kept.Name, "", string(action))
	return nil
}

// Load returns the key of a policy, without key and secret if none was kept.
func (k *Keys) Load(ctx context.Context, report provisioner.Report, policy string) (state.APIKey, error) {
	key, err := k.store.LoadAPIKey(ctx, report, policy)
	key.Name = k.spec.ObjectName(policy)
	return key, err
}

func newRole(spec state.Spec, policy string) (state.IAMRole, error) {
	role := state.IAMRole{Name: spec.ObjectName(policy), Description: spec.ObjectDescription(policy), Labels: spec.Labels()}
	text, err := assets.RenderPolicy(policy, ListPersistentBuckets(spec))
	if err != nil {
		return role, err
	}
	if err := json.Unmarshal(text, &role.Policy); err != nil {
		return role, fmt.Errorf("policy %s: %w", policy, err)
	}
	return role, nil
}

// FolderStore stores API keys in the cluster's folder.
type FolderStore struct {
	Spec   state.Spec
	Folder state.Folder
}

// LoadAPIKey returns the key in the folder.
func (f FolderStore) LoadAPIKey(_ context.Context, _ provisioner.Report, policy string) (state.APIKey, error) {
	key, err := f.Folder.LoadAPIKey(f.Spec.ObjectName(policy))
	if err != nil {
		return key, fault.New(fault.Invalid, "read a key that was kept", err).WithHint("exoshift verify --dir %s says what can be done", f.Folder.Path())
	}
	return key, nil
}

// KeepAPIKey returns the function that saves a key in the folder.
func (f FolderStore) KeepAPIKey(context.Context, provisioner.Report, string) func(state.APIKey) error {
	return f.Folder.SaveAPIKey
}

// IsSignedOut returns false: the folder can always be read.
func (f FolderStore) IsSignedOut() bool { return false }
