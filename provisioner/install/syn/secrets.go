package syn

import (
	"context"
	"crypto/rand"
	"maps"
	"path"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const kindSecret = "vault-secret"

// secrets writes the cluster's secrets to Vault.
type secrets struct {
	spec    state.Spec
	facts   *state.FactsStore
	session *session
}

func (s *secrets) joinPath(name string) string { return joinVaultPath(s.spec, name) }

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
func (s *secrets) put(ctx context.Context, report provisioner.Report) error {
	vault, err := s.session.signInVault(ctx, report)
	if err != nil {
		return err
	}
	for name, values := range generatePasswords() {
		action, err := vault.EnsureSecret(ctx, s.joinPath(name), values)
		if err != nil {
			return err
		}
		report.EmitObject(kindSecret, s.joinPath(name), "", string(action))
	}
	return s.putSSHKey(ctx, report, vault)
}

func (s *secrets) check(ctx context.Context, report provisioner.Report) error {
	vault, err := s.session.signInVault(ctx, report)
	if err != nil {
		return err
	}
	if err := vault.Check(ctx, s.joinPath("")); err != nil {
		return err
	}
	report.EmitProgress("the cluster's secrets may be written to " + s.joinPath(""))
	return nil
}

func (s *secrets) preview(ctx context.Context, report provisioner.Report) error {
	vault, err := s.session.signInVault(ctx, report)
	if err != nil {
		return err
	}
	if err := vault.Check(ctx, s.joinPath("")); err != nil {
		return err
	}
	for _, name := range append(slices.Sorted(maps.Keys(generatePasswords())), sshSecret) {
		action := state.Found
		_, err := vault.GetSecret(ctx, s.joinPath(name))
		switch {
		case fault.Is(err, fault.NotFound):
			action = state.Created
		case err != nil:
			return err
		}
		report.EmitObject(kindSecret, s.joinPath(name), "", string(action))
	}
	return nil
}
