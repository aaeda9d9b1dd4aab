package syn

import (
	"context"
	"crypto/rand"
	"maps"
	"path"
	"slices"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

const kindSecret = "vault-secret"

// vaultPath is where Vault keeps a secret of the cluster.
func (c *Connection) vaultPath(name string) string { return vaultPath(c.Spec, name) }

func vaultPath(spec state.Spec, name string) string {
	return path.Join(spec.Syn.Tenant, spec.Cluster.ID, name)
}

// SecretPaths are the paths in Vault that an installation writes to, sorted.
func SecretPaths(spec state.Spec) []string {
	paths := SecretNames()
	for n, name := range paths {
		paths[n] = vaultPath(spec, name)
	}
	return paths
}

// SecretNames are the same paths below tenant and cluster, sorted.
func SecretNames() []string {
	names := append(slices.Collect(maps.Keys(passwords())), sshSecret)
	for _, place := range vaultKeys() {
		names = append(names, place.path)
	}
	slices.Sort(names)
	return names
}

// passwords are what is made once in a cluster's life: data is encrypted with them.
func passwords() map[string]map[string]string {
	return map[string]map[string]string{
		"registry":       {"httpSecret": password(128)},
		"global-backup":  {"password": password(32)},
		"cluster-backup": {"password": password(32)},
	}
}

// password returns random capital letters and digits.
func password(length int) string {
	var text strings.Builder
	for text.Len() < length {
		text.WriteString(rand.Text())
	}
	return text.String()[:length]
}

// putSecrets makes the secrets that the catalog refers to. What Vault has already stays: a backup is worth nothing
// without the password that it was made with.
func (c *Connection) putSecrets(ctx context.Context, report provisioner.Report) error {
	vault, err := c.vault(ctx, report)
	if err != nil {
		return err
	}
	for name, values := range passwords() {
		action, err := vault.EnsureSecret(ctx, c.vaultPath(name), values)
		if err != nil {
			return err
		}
		report.Object(kindSecret, c.vaultPath(name), "", string(action))
	}
	return c.putSSHKey(ctx, report, vault)
}
