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
	Mount      string              // of the KV store in Vault
	Secrets    []state.VaultSecret // referenced by the cluster's catalog
	// Passwords keeps a copy of the backups' passwords until they are seen in Vault.
	Passwords PasswordStore
	// Show opens a login page for the user; nil: there is no user.
	Show func(ctx context.Context, url string) error
}

// Lieutenant has the cluster's registration.
type Lieutenant interface {
	SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error
	// DeleteCluster removes the protection of the registration and deletes it; the repository of the catalog is archived.
	// A missing one is no error.
	DeleteCluster(ctx context.Context, id string) (state.Action, error)
	// GetCluster fails with fault.NotFound for a missing one.
	GetCluster(ctx context.Context, id string) (state.SynCluster, error)
}

// Vault has the cluster's secrets.
type Vault interface {
	SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error
	// Delete deletes the newest version of a secret, which can be undone.
	Delete(ctx context.Context, path string) (state.Action, error)
	// Restore undoes that. A secret that is not deleted is no error; one that cannot be restored is a fault.NotFound.
	Restore(ctx context.Context, path string) (state.Action, error)
	// GetSecret fails with fault.NotFound for a missing or deleted one.
	GetSecret(ctx context.Context, path string) (map[string]string, error)
	// SetSecret writes a secret, whether there is one or not.
	SetSecret(ctx context.Context, path string, values map[string]string) (state.Action, error)
}

// registration is the removal of a cluster from Project Syn.
type registration struct {
	syn           *Syn // nil: it is not registered
	identity      identity
	deleteBackups bool
}

// The prefix of secrets that all clusters share.
const shared = "__shared__/"

// They come first, so that a failed login is known at the start: no other step waits for them.
func (r registration) signInSteps() provisioner.Plan {
	if r.syn == nil {
		return nil
	}
	return provisioner.Plan{{ID: stepSignIn, Phase: Phase, Title: "Sign in at Lieutenant and Vault", Do: r.signIn}}
}

const stepSignIn = "sign-in"

func (r registration) signIn(ctx context.Context, report provisioner.Report) error {
	if err := report.SignIn(ctx, r.syn.Lieutenant.SignIn, r.syn.Show); err != nil {
		return err
	}
	return report.SignIn(ctx, r.syn.Vault.SignIn, r.syn.Show)
}

// They run once nothing of the cluster runs any more: until then it uses its secrets.
func (r registration) removalSteps() provisioner.Plan {
	if r.syn == nil {
		return nil
	}
	plan := provisioner.Plan{
		{ID: "vault", Phase: Phase, Title: "Delete the cluster's secrets in Vault", Needs: []string{stepSignIn, stepProof}, Do: r.clearVault},
		{ID: "lieutenant", Phase: Phase, Title: "Delete the cluster in Lieutenant, which archives its catalog", Needs: []string{"vault"}, Do: r.removeRegistration},
	}
	if !r.deleteBackups {
		plan = append(plan, provisioner.Step{
			ID: "passwords", Phase: Phase, Title: "Verify the backup passwords in Vault", Needs: []string{"lieutenant"}, Do: r.restorePasswords,
		})
	}
	return plan
}

func (r registration) clearVault(ctx context.Context, report provisioner.Report) error {
	if err := report.SignIn(ctx, r.syn.Vault.SignIn, r.syn.Show); err != nil {
		return err
	}
	for _, where := range r.listOwnSecrets() {
		if !r.deleteBackups && slices.Contains(backupSecrets, path.Base(where)) {
			report.EmitProgress(where + " is kept in Vault: the backups cannot be read without it")
			continue
		}
		action, err := r.syn.Vault.Delete(ctx, where)
		if err != nil {
			return err
		}
		report.EmitObject("vault-secret", where, "", string(action))
	}
	return nil
}

func (r registration) listOwnSecrets() []string {
	var paths []string
	for _, secret := range r.syn.Secrets {
		if !strings.HasPrefix(secret.Path, shared) && strings.Contains(secret.Path, "/"+r.identity.cluster+"/") {
			paths = append(paths, secret.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (r registration) removeRegistration(ctx context.Context, report provisioner.Report) error {
	if err := report.SignIn(ctx, r.syn.Lieutenant.SignIn, r.syn.Show); err != nil {
		return err
	}
	if !r.deleteBackups {
		if err := r.copyPasswords(ctx, report); err != nil {
			return err
		}
	}
	action, err := r.syn.Lieutenant.DeleteCluster(ctx, r.identity.cluster)
	if err != nil {
		return err
	}
	report.EmitObject("lieutenant-cluster", r.identity.cluster, "", string(action))
	return nil
}

func (r registration) describeRemoval() []string {
	if r.syn == nil {
		return nil
	}
	secrets, stay := len(r.listOwnSecrets()), "."
	if !r.deleteBackups {
		secrets -= len(r.listPasswordPaths())
		stay = "; the passwords of the backups are kept."
	}
	return []string{
		fmt.Sprintf("Lieutenant deletes %s of the tenant %s; its deletion protection is removed first, and the catalog's repository is archived.", r.identity.cluster, r.syn.Tenant),
		fmt.Sprintf("Vault deletes %d secrets below %s/%s/%s, which can be restored%s", secrets, r.syn.Mount, r.syn.Tenant, r.identity.cluster, stay),
	}
}

func (r registration) listActions() []string {
	if r.syn == nil {
		return nil
	}
	steps := []string{
		fmt.Sprintf("In Opsgenie, or its replacement from 2027-04-05 on, disable the heartbeat %s before the machines are deleted, and delete it afterwards: on-call is alerted when it stops.", r.identity.cluster),
		fmt.Sprintf("In the portal, delete the service for logging in (Keycloak) with the ID %s: the portal has no API.", r.identity.cluster),
		fmt.Sprintf("Have the NS records of %s removed from its parent zone by the operator of that zone.", r.identity.domain),
		fmt.Sprintf("In Passbolt, delete the emergency credential of %s, if there is one.", r.identity.cluster),
	}
	if !r.deleteBackups {
		steps = append(steps, fmt.Sprintf("Once the backups are no longer needed, delete their bucket, and in Vault %s.", strings.Join(r.listPasswordPaths(), " and ")))
	}
	return steps
}
