package destroy

import (
	"context"
	"path"
	"slices"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// Syn is Project Syn, as far as it knows the cluster.
type Syn struct {
	Lieutenant Lieutenant
	Vault      Vault
	Secrets    []state.VaultSecret // what the cluster's catalog refers to
	// Show leads a person to a page where they sign in; nil: nobody is there.
	Show func(ctx context.Context, url string) error
}

// Lieutenant keeps the cluster's registration.
type Lieutenant interface {
	SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error
	// DeleteCluster lifts the protection of the registration and deletes it; the repository of the catalog is archived. It
	// is content with one that is gone.
	DeleteCluster(ctx context.Context, id string) (state.Action, error)
}

// Vault keeps the cluster's secrets.
type Vault interface {
	SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error
	// Delete deletes the newest version of a secret, which can be taken back.
	Delete(ctx context.Context, path string) (state.Action, error)
}

// shared is where Vault keeps what all clusters use.
const shared = "__shared__/"

// backupSecrets are without which no backup can be read.
func backupSecrets() []string { return []string{"cluster-backup", "global-backup"} }

// synSteps take the cluster out of Project Syn, once nothing of it runs any more: as long as it did, its secrets were used.
func (t *Teardown) synSteps() provisioner.Plan {
	if t.world.Syn == nil {
		return nil
	}
	return provisioner.Plan{
		{ID: "vault", Phase: Phase, Title: "Delete the cluster's secrets in Vault", Needs: []string{stepProof}, Do: t.clearVault},
		{ID: "lieutenant", Phase: Phase, Title: "Delete the cluster in Lieutenant, which archives its catalog", Needs: []string{"vault"}, Do: t.unregister},
	}
}

func (t *Teardown) clearVault(ctx context.Context, report provisioner.Report) error {
	if err := t.world.Syn.Vault.SignIn(ctx, t.show(report)); err != nil {
		return err
	}
	for _, where := range t.ownSecrets() {
		if t.keeps && slices.Contains(backupSecrets(), path.Base(where)) {
			progress(report, where+" stays in Vault: the backups cannot be read without it")
			continue
		}
		action, err := t.world.Syn.Vault.Delete(ctx, where)
		if err != nil {
			return err
		}
		report(provisioner.Event{Type: provisioner.TypeObject, Kind: "vault-secret", Name: where, Action: string(action)})
	}
	return nil
}

// ownSecrets are the paths of the secrets that no other cluster uses, sorted.
func (t *Teardown) ownSecrets() []string {
	var paths []string
	for _, secret := range t.world.Syn.Secrets {
		if !strings.HasPrefix(secret.Path, shared) && strings.Contains(secret.Path, "/"+t.who.cluster+"/") {
			paths = append(paths, secret.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (t *Teardown) unregister(ctx context.Context, report provisioner.Report) error {
	if err := t.world.Syn.Lieutenant.SignIn(ctx, t.show(report)); err != nil {
		return err
	}
	action, err := t.world.Syn.Lieutenant.DeleteCluster(ctx, t.who.cluster)
	if err != nil {
		return err
	}
	report(provisioner.Event{Type: provisioner.TypeObject, Kind: "lieutenant-cluster", Name: t.who.cluster, Action: string(action)})
	return nil
}

// show tells that the teardown waits for a person, and leads them to the page.
func (t *Teardown) show(report provisioner.Report) func(context.Context, string) error {
	if t.world.Syn.Show == nil {
		return nil
	}
	return func(ctx context.Context, url string) error {
		progress(report, "sign in in a browser: "+url)
		return t.world.Syn.Show(ctx, url)
	}
}
