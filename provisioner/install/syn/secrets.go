package syn

import (
	"context"
	"crypto/rand"
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
	paths := []string{vaultPath(spec, sshSecret)}
	for name := range passwords() {
		paths = append(paths, vaultPath(spec, name))
	}
	for _, place := range vaultKeys() {
		paths = append(paths, vaultPath(spec, place.path))
	}
	slices.Sort(paths)
	return paths
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
