package install

import (
	"context"
	"maps"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// previewSyn says what Lieutenant, Vault and the tenant's repository would get, as far as somebody is signed in there.
func (i *Installation) previewSyn(preview *Preview) body {
	look := i.lookAtSyn(preview)
	return func(ctx context.Context, report provisioner.Report) error {
		if !i.connected() {
			return nil
		}
		err := look(ctx, report)
		if fault.Is(err, fault.Waiting) {
			i.syn.unseen = true
			preview.Unseen = append(preview.Unseen, strings.TrimSuffix("what Project Syn would get: "+err.Error()+"; "+fault.HintOf(err), "; "))
			return nil
		}
		return err
	}
}

func (i *Installation) lookAtSyn(preview *Preview) body {
	return func(ctx context.Context, report provisioner.Report) error {
		if err := i.askLieutenant(ctx, report); err != nil {
			return err
		}
		object(report, kindSynCluster, i.spec.Cluster.ID, "", i.previewCluster())
		if err := i.previewSecrets(ctx, report); err != nil {
			return err
		}
		difference, err := i.difference(ctx)
		if err != nil {
			return err
		}
		preview.Difference = difference
		action := state.Found
		if difference.Unified != "" {
			action = state.Updated
		}
		object(report, kindConfiguration, difference.File, difference.Commit, action)
		return nil
	}
}

// previewCluster tells a cluster that Lieutenant has from one that is only wanted.
func (i *Installation) previewCluster() state.Action {
	found := i.syn.cluster
	if found.InstallURL == "" && found.Catalog.URL == "" {
		return state.Created
	}
	for name, value := range i.wantedCluster().Facts {
		if found.Facts[name] != value {
			return state.Updated
		}
	}
	return state.Found
}

func (i *Installation) previewSecrets(ctx context.Context, report provisioner.Report) error {
	vault, err := i.vault(ctx, report)
	if err != nil {
		return err
	}
	if err := vault.Check(ctx, i.vaultPath("")); err != nil {
		return err
	}
	for _, name := range append(slices.Sorted(maps.Keys(passwords())), sshSecret) {
		action := state.Found
		_, err := vault.Secret(ctx, i.vaultPath(name))
		switch {
		case fault.Is(err, fault.NotFound):
			action = state.Created
		case err != nil:
			return err
		}
		object(report, kindVaultSecret, i.vaultPath(name), "", action)
	}
	return nil
}
