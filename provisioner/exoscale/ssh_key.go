package exoscale

import (
	"context"
	"strings"

	v2 "github.com/exoscale/egoscale/v2"
	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// SSHKeys are registered public keys.
type SSHKeys struct {
	api *api.Client
}

// EnsureSSHKey registers a public key, one authorized_keys line.
func (c *SSHKeys) EnsureSSHKey(ctx context.Context, name, publicKey string) (state.Action, error) {
	key, action, err := api.Ensure(ctx, c.api, api.Object[v2.SSHKey]{
		Kind: kindSSHKey, Name: name,
		Find: func(ctx context.Context) ([]*v2.SSHKey, error) { return c.listSSHKeys(ctx, name) },
		Create: func(ctx context.Context) (*v2.SSHKey, error) {
			return c.api.V2.RegisterSSHKey(ctx, c.api.Zone, name, publicKey)
		},
		ID: func(key *v2.SSHKey) string { return deref(key.Name) }, // keys have no other id
	})
	if err != nil {
		return action, err
	}
	return action, checkSameKey(key, publicKey)
}

func (c *SSHKeys) listSSHKeys(ctx context.Context, name string) ([]*v2.SSHKey, error) {
	keys, err := api.Call(ctx, c.api, "list SSH keys", func(ctx context.Context) ([]*v2.SSHKey, error) {
		return c.api.V2.ListSSHKeys(ctx, c.api.Zone)
	})
	return filterMatching(keys, func(key *v2.SSHKey) bool { return deref(key.Name) == name }), err
}

// checkSameKey fails if the key that was found is certainly another one. The API returns only a fingerprint, in a form that is
// not recorded, so only the two usual forms are compared.
func checkSameKey(key *v2.SSHKey, publicKey string) error {
	op, has := "compare ssh-key "+deref(key.Name), deref(key.Fingerprint)
	parsed, _, _, _, err := ssh.ParseAuthorizedKey([]byte(publicKey))
	if err != nil {
		return fault.New(fault.Invalid, op, err).WithHint("give one line as in authorized_keys")
	}
	want := ssh.FingerprintLegacyMD5(parsed)
	if strings.HasPrefix(has, "SHA256:") {
		want = ssh.FingerprintSHA256(parsed)
	}
	if len(has) == len(want) && has != want {
		return fault.Newf(fault.Conflict, op, "Exoscale holds another key of that name, %s instead of %s", has, want).
			WithHint("delete the key in the Exoscale portal, or use that key")
	}
	return nil
}
