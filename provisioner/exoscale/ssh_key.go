package exoscale

import (
	"context"
	"strings"

	v2 "github.com/exoscale/egoscale/v2"
	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/state"
)

// EnsureSSHKey registers a public key, one authorized_keys line.
func (c *Client) EnsureSSHKey(ctx context.Context, name, publicKey string) (state.Action, error) {
	key, action, err := ensure(ctx, c, object[v2.SSHKey]{
		kind: kindSSHKey, name: name,
		find: func(ctx context.Context) ([]*v2.SSHKey, error) { return c.listSSHKeys(ctx, name) },
		create: func(ctx context.Context) (*v2.SSHKey, error) {
			return c.api.RegisterSSHKey(ctx, c.zone, name, publicKey)
		},
		id: func(key *v2.SSHKey) string { return deref(key.Name) }, // keys have no other id
	})
	if err != nil {
		return action, err
	}
	return action, checkSameKey(key, publicKey)
}

func (c *Client) listSSHKeys(ctx context.Context, name string) ([]*v2.SSHKey, error) {
	keys, err := call(ctx, c, "list SSH keys", func(ctx context.Context) ([]*v2.SSHKey, error) {
		return c.api.ListSSHKeys(ctx, c.zone)
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

func filterMatching[T any](all []T, match func(T) bool) []T {
	var chosen []T
	for _, one := range all {
		if match(one) {
			chosen = append(chosen, one)
		}
	}
	return chosen
}
