package syn

import (
	"context"
	"maps"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Preview returns the changes in Lieutenant, Vault and the tenant's repository. Without a login, unseen is a sentence
// about what could not be read, and the rest of a preview continues.
func (c *Connection) Preview(ctx context.Context, report provisioner.Report) (difference state.Difference, unseen string, err error) {
	if !c.IsConnected() {
		return difference, "", nil
	}
	difference, err = c.collectPreview(ctx, report)
	if fault.Is(err, fault.Waiting) {
		c.signedOut = true
		return difference, strings.TrimSuffix("what Project Syn would get: "+err.Error()+"; "+fault.HintOf(err), "; "), nil
	}
	return difference, "", err
}

func (c *Connection) collectPreview(ctx context.Context, report provisioner.Report) (state.Difference, error) {
	if err := c.checkLieutenant(ctx, report); err != nil {
		return state.Difference{}, err
	}
	report.EmitObject(KindCluster, c.Spec.Cluster.ID, "", string(c.previewCluster()))
	if err := c.previewSecrets(ctx, report); err != nil {
		return state.Difference{}, err
	}
	difference, err := c.computeDifference(ctx)
	if err != nil {
		return state.Difference{}, err
	}
	emitConfiguration(report, difference)
	return difference, nil
}

func (c *Connection) previewCluster() state.Action {
	found := c.cluster
	if found.InstallURL == "" && found.Catalog.URL == "" {
		return state.Created
	}
	for name, value := range c.buildCluster().Facts {
		if found.Facts[name] != value {
			return state.Updated
		}
	}
	return state.Found
}

func (c *Connection) previewSecrets(ctx context.Context, report provisioner.Report) error {
	vault, err := c.signInVault(ctx, report)
	if err != nil {
		return err
	}
	if err := vault.Check(ctx, c.joinVaultPath("")); err != nil {
		return err
	}
	for _, name := range append(slices.Sorted(maps.Keys(generatePasswords())), sshSecret) {
		action := state.Found
		_, err := vault.GetSecret(ctx, c.joinVaultPath(name))
		switch {
		case fault.Is(err, fault.NotFound):
			action = state.Created
		case err != nil:
			return err
		}
		report.EmitObject(kindSecret, c.joinVaultPath(name), "", string(action))
	}
	return nil
}
