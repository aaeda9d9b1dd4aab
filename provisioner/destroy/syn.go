package destroy

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// Syn is the cluster's registration and secrets in Project Syn.
type Syn struct {
	Lieutenant Lieutenant
	Vault      Vault
	Tenant     string
	Secrets    []state.VaultSecret // referenced by the cluster's catalog
	// Show opens a login page for the user; nil: there is no user.
	Show func(ctx context.Context, url string) error
}

// Lieutenant has the cluster's registration.
type Lieutenant interface {
	SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error
	// DeleteCluster removes the protection of the registration and deletes it; the repository of the catalog is archived.
	// A missing one is no error.
	DeleteCluster(ctx context.Context, id string) (state.Action, error)
}

// Vault has the cluster's secrets.
type Vault interface {
	SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error
	// Delete deletes the newest version of a secret, which can be undone.
	Delete(ctx context.Context, path string) (state.Action, error)
	// Restore undoes that. A secret that exists, or never did, is no error.
	Restore(ctx context.Context, path string) (state.Action, error)
}

// The prefix of secrets that all clusters share.
const shared = "__shared__/"

// Without these no backup can be read.
func listBackupSecrets() []string { return []string{"cluster-backup", "global-backup"} }

// They come first, so that a failed login is known at the start: no other step waits for them.
func (t *Teardown) signInSteps() provisioner.Plan {
	if t.clients.Syn == nil {
		return nil
	}
	return provisioner.Plan{{ID: stepSignIn, Phase: Phase, Title: "Sign in at Lieutenant and Vault", Do: t.signIn}}
}

const stepSignIn = "sign-in"

func (t *Teardown) signIn(ctx context.Context, report provisioner.Report) error {
	if err := report.SignIn(ctx, t.clients.Syn.Lieutenant.SignIn, t.clients.Syn.Show); err != nil {
		return err
	}
	return report.SignIn(ctx, t.clients.Syn.Vault.SignIn, t.clients.Syn.Show)
}

// They run once nothing of the cluster runs any more: until then it uses its secrets.
func (t *Teardown) buildSynSteps() provisioner.Plan {
	if t.clients.Syn == nil {
		return nil
	}
	plan := provisioner.Plan{
		{ID: "vault", Phase: Phase, Title: "Delete the cluster's secrets in Vault", Needs: []string{stepSignIn, stepProof}, Do: t.clearVault},
		{ID: "lieutenant", Phase: Phase, Title: "Delete the cluster in Lieutenant, which archives its catalog", Needs: []string{"vault"}, Do: t.removeRegistration},
	}
	if !t.options.DeleteBackups {
		plan = append(plan, provisioner.Step{
			ID: "passwords", Phase: Phase, Title: "See that the passwords of the backups are in Vault", Needs: []string{"lieutenant"}, Do: t.restorePasswords,
		})
	}
	return plan
}

// Lieutenant deletes all secrets of a cluster in Vault.
func (t *Teardown) restorePasswords(ctx context.Context, report provisioner.Report) error {
	if err := report.SignIn(ctx, t.clients.Syn.Vault.SignIn, t.clients.Syn.Show); err != nil {
		return err
	}
	for _, where := range t.listPasswordPaths() {
		action, err := t.clients.Syn.Vault.Restore(ctx, where)
		if err != nil {
			return err
		}
		report.EmitObject("vault-secret", where, "", string(action))
	}
	return nil
}

func (t *Teardown) listPasswordPaths() []string {
	return slices.DeleteFunc(t.listOwnSecrets(), func(where string) bool { return !slices.Contains(listBackupSecrets(), path.Base(where)) })
}

func (t *Teardown) clearVault(ctx context.Context, report provisioner.Report) error {
	if err := report.SignIn(ctx, t.clients.Syn.Vault.SignIn, t.clients.Syn.Show); err != nil {
		return err
	}
	for _, where := range t.listOwnSecrets() {
		if !t.options.DeleteBackups && slices.Contains(listBackupSecrets(), path.Base(where)) {
			report.EmitProgress(where + " stays in Vault: the backups cannot be read without it")
			continue
		}
		action, err := t.clients.Syn.Vault.Delete(ctx, where)
		if err != nil {
			return err
		}
		report.EmitObject("vault-secret", where, "", string(action))
	}
	return nil
}

func (t *Teardown) listOwnSecrets() []string {
	var paths []string
	for _, secret := range t.clients.Syn.Secrets {
		if !strings.HasPrefix(secret.Path, shared) && strings.Contains(secret.Path, "/"+t.identity.cluster+"/") {
			paths = append(paths, secret.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (t *Teardown) removeRegistration(ctx context.Context, report provisioner.Report) error {
	if err := report.SignIn(ctx, t.clients.Syn.Lieutenant.SignIn, t.clients.Syn.Show); err != nil {
		return err
	}
	action, err := t.clients.Syn.Lieutenant.DeleteCluster(ctx, t.identity.cluster)
	if err != nil {
		return err
	}
	report.EmitObject("lieutenant-cluster", t.identity.cluster, "", string(action))
	return nil
}

func (t *Teardown) describeSynRemoval() []string {
	if t.clients.Syn == nil {
		return nil
	}
	secrets, stay := len(t.listOwnSecrets()), "."
	if !t.options.DeleteBackups {
		secrets -= len(t.listPasswordPaths())
		stay = "; the passwords of the backups stay."
	}
	return []string{
		fmt.Sprintf("Lieutenant forgets %s of the tenant %s; the protection against that is lifted first, and the catalog's repository is archived.", t.identity.cluster, t.clients.Syn.Tenant),
		fmt.Sprintf("Vault deletes %d secrets below clusters/kv/%s/%s, which can be brought back%s", secrets, t.clients.Syn.Tenant, t.identity.cluster, stay),
	}
}

func (t *Teardown) listActions() []string {
	if t.clients.Syn == nil {
		return nil
	}
	steps := []string{
		fmt.Sprintf("At Opsgenie, switch off the heartbeat %s before the machines go, and delete it afterwards: whoever is on call is woken when it stops, and its key is theirs.", t.identity.cluster),
		fmt.Sprintf("In the portal, delete the service for logging in (Keycloak) with the ID %s: the portal has no interface for programs.", t.identity.cluster),
		fmt.Sprintf("Have the NS records of %s removed from the zone above it: only those who serve that zone may change it.", t.identity.domain),
		fmt.Sprintf("In Passbolt, delete the emergency credential of %s, if there is one: only people open Passbolt.", t.identity.cluster),
	}
	if !t.options.DeleteBackups {
		steps = append(steps, fmt.Sprintf("Once nobody needs the backups, delete their bucket, and in Vault %s: when that is, people decide.", strings.Join(t.listPasswordPaths(), " and ")))
	}
	return steps
}
