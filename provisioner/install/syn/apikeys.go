package syn

import (
	"context"
	"sync"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// The location in Vault of a policy's API key.
type vaultKey struct{ path, key, secret string }

func mapVaultKeys() map[string]vaultKey {
	return map[string]vaultKey{
		assets.PolicyStorage:         {"exoscale/storage_iam", "s3_access_key", "s3_secret_key"},
		assets.PolicyVolumes:         {"exoscale/csi_driver", "access_key", "secret_key"},
		assets.PolicyCloudController: {"exoscale/ccm", "access_key", "secret_key"},
	}
}

// APIKeys keeps the cluster's own API keys in Vault.
type APIKeys struct {
	spec    state.Spec
	session *session

	mu   sync.Mutex              // guards keys
	keys map[string]state.APIKey // by policy: those in Vault, once read
}

// IsSignedOut reports whether a preview continues without a login.
func (k *APIKeys) IsSignedOut() bool { return k.session.signedOut }

// LoadAPIKey returns the API key of a policy that an earlier step or run has stored in Vault, or one without key and
// secret. It has no name yet.
func (k *APIKeys) LoadAPIKey(ctx context.Context, report provisioner.Report, policy string) (state.APIKey, error) {
	k.mu.Lock()
	known, found := k.keys[policy]
	k.mu.Unlock()
	if found {
		return known, nil
	}
	vault, err := k.session.signInVault(ctx, report)
	if err != nil {
		return state.APIKey{}, err
	}
	place := mapVaultKeys()[policy]
	values, err := vault.GetSecret(ctx, joinVaultPath(k.spec, place.path))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return state.APIKey{}, err
	}
	return state.APIKey{Key: values[place.key], Secret: values[place.secret]}, nil
}

// KeepAPIKey returns a function that stores the API key of a policy in Vault.
func (k *APIKeys) KeepAPIKey(ctx context.Context, report provisioner.Report, policy string) func(state.APIKey) error {
	return func(key state.APIKey) error {
		vault, err := k.session.signInVault(ctx, report)
		if err != nil {
			return err
		}
		place := mapVaultKeys()[policy]
		_, err = vault.SetSecret(ctx, joinVaultPath(k.spec, place.path), map[string]string{place.key: key.Key, place.secret: key.Secret})
		if err != nil {
			return err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.keys[policy] = key
		return nil
	}
}
