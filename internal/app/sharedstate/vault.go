package sharedstate

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/state"
)

// vaultScheme begins the value of IdentityVariable where the identity is a secret in Vault.
const vaultScheme = "vault://"

// vaultKey is the usual key of the secret.
const vaultKey = "identity"

// vaultSecret is where an identity is in Vault.
type vaultSecret struct {
	address string // URL
	mount   string // "" is the usual one
	path    string
	key     string
}

// parseVaultSecret reads vault://HOST/PATH?mount=MOUNT#KEY.
func parseVaultSecret(text string) (vaultSecret, error) {
	parsed, err := url.Parse(text)
	if err != nil {
		return vaultSecret{}, fmt.Errorf("its form is vault://HOST/PATH?mount=MOUNT#KEY: %w", err)
	}
	query := parsed.Query()
	secret := vaultSecret{
		address: "https://" + parsed.Host, mount: query.Get("mount"), path: strings.Trim(parsed.Path, "/"), key: cmp.Or(parsed.Fragment, vaultKey),
	}
	query.Del("mount")
	if parsed.Host == "" || parsed.User != nil || secret.path == "" || len(query) > 0 {
		return secret, fmt.Errorf("its form is vault://HOST/PATH?mount=MOUNT#KEY, of which ?mount=%s and #%s may be left out", state.DefaultVaultMount, vaultKey)
	}
	return secret, nil
}

// readVault reads an identity from Vault, and signs in there if that has not happened: by VAULT_TOKEN, ~/.vault-token, the account of
// a pod, or in a browser.
func (i identities) readVault(ctx context.Context, text string) ([]byte, error) {
	secret, err := parseVaultSecret(text)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("%s: %w", IdentityVariable, err))
	}
	operator := i.Person
	if operator == nil {
		operator = environment.NewOwnAccess()
	}
	client := operator.OpenVaultClient(i.Net, state.SynSpec{VaultAddress: secret.address, VaultMount: secret.mount})
	if err := client.SignIn(ctx, operator.Show); err != nil {
		return nil, fmt.Errorf("read the identity of shared state: %w", err)
	}
	values, err := client.GetSecret(ctx, secret.path)
	if err != nil {
		return nil, fmt.Errorf("read the identity of shared state: %w", err)
	}
	identity, has := values[secret.key]
	if !has {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("%s: the secret %s has no key %s; name the one that has the identity: %s#KEY", IdentityVariable, secret.path, secret.key, text))
	}
	return []byte(identity), nil
}
