package syn

import (
	"context"
	"fmt"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/manifests"
	"exoshift/state"
)

func (c *Catalog) formatWriteHint() string {
	return "write them to Vault below " + c.spec.Syn.GetVaultMount() + ", or remove the component that needs them; then run again"
}

// NewResolver returns a function that resolves the secrets of a catalog.
func (c *Catalog) NewResolver(ctx context.Context, report provisioner.Report) manifests.Resolve {
	return func(wanted state.VaultSecret) (string, error) {
		vault, err := c.session.signInVault(ctx, report)
		if err != nil {
			return "", err
		}
		values, err := vault.GetSecret(ctx, wanted.Path)
		if err != nil && fault.HintOf(err) == "" && fault.Is(err, fault.NotFound) {
			return "", fault.New(fault.NotFound, "read "+wanted.String()+" in Vault", err).WithHint("%s", c.formatWriteHint())
		}
		if err != nil {
			return "", fmt.Errorf("read %s in Vault: %w", wanted.Path, err)
		}
		if value, found := values[wanted.Key]; found {
			return value, nil
		}
		return "", fault.Newf(fault.NotFound, "read "+wanted.String()+" in Vault", "the secret has no such key").WithHint("%s", c.formatWriteHint())
	}
}

// Argo CD would detect missing secrets much later.
func (c *Catalog) checkReferences(ctx context.Context, report provisioner.Report) error {
	const op = "check the secrets that the catalog needs"
	wanted, err := c.git.ListWantedSecrets(c.folder.Path(state.CatalogDir), c.spec.Syn.GetVaultMount())
	if err != nil {
		return err
	}
	vault, err := c.session.signInVault(ctx, report)
	if err != nil {
		return err
	}
	missing, err := vault.ListMissing(ctx, wanted)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		report.EmitProgress(fmt.Sprintf("Vault has all %d secrets that the catalog needs", len(wanted)))
		return nil
	}
	return fault.Newf(fault.Conflict, op, "Vault does not have %s", joinSecrets(missing)).
		WithHint("%s", c.formatWriteHint())
}

func joinSecrets(secrets []state.VaultSecret) string {
	const most = 5
	var names []string
	for n, secret := range secrets {
		if n == most {
			names = append(names, fmt.Sprintf("%d more", len(secrets)-most))
			break
		}
		names = append(names, secret.String())
	}
	return strings.Join(names, ", ")
}
