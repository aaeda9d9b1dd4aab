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

func (c *Connection) joinVaultPath(name string) string { return joinVaultPath(c.Spec, name) }

func joinVaultPath(spec state.Spec, name string) string {
	return path.Join(spec.Syn.Tenant, spec.Cluster.ID, name)
}

// ListSecretPaths returns the paths in Vault that an installation writes to, sorted.
func ListSecretPaths(spec state.Spec) []string {
	paths := ListSecretNames()
	for n, name := range paths {
		paths[n] = joinVaultPath(spec, name)
	}
	return paths
}

// ListSecretNames returns the same paths below tenant and cluster, sorted.
func ListSecretNames() []string {
	names := append(slices.Collect(maps.Keys(generatePasswords())), sshSecret)
	for _, place := range mapVaultKeys() {
		names = append(names, place.path)
	}
	slices.Sort(names)
	return names
}

// They are generated once in a cluster's life: data is encrypted with them.
func generatePasswords() map[string]map[string]string {
	return map[string]map[string]string{
		"registry":       {"httpSecret": generatePassword(128)},
		"global-backup":  {"password": generatePassword(32)},
		"cluster-backup": {"password": generatePassword(32)},
	}
}

func generatePassword(length int) string {
	var text strings.Builder
	for text.Len() < length {
		text.WriteString(rand.Text())
	}
	return text.String()[:length]
}

// Existing secrets are kept: a backup is worthless without its password.
func (c *Connection) putSecrets(ctx context.Context, report provisioner.Report) error {
	vault, err := c.signInVault(ctx, report)
	if err != nil {
		return err
	}
	for name, values := range generatePasswords() {
		action, err := vault.EnsureSecret(ctx, c.joinVaultPath(name), values)
		if err != nil {
			return err
		}
		report.EmitObject(kindSecret, c.joinVaultPath(name), "", string(action))
	}
	return c.putSSHKey(ctx, report, vault)
}
