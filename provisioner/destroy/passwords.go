package destroy

import (
	"context"
	"path"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner"
)

// Passwords are copies of secrets by their paths. A nil secret: there was none while the cluster was registered.
type Passwords map[string]map[string]string

// PasswordStore keeps passwords for a later run: Lieutenant may delete them for good, and a run may be killed right after that.
type PasswordStore interface {
	// Load returns nil if none are kept.
	Load() (Passwords, error)
	// Save replaces those that are kept; nil removes them.
	Save(Passwords) error
}

// Without these no backup can be read.
var backupSecrets = []string{"cluster-backup", "global-backup"} //nolint:gochecknoglobals // a table that nothing changes

func (r registration) listPasswordPaths() []string {
	return slices.DeleteFunc(r.listOwnSecrets(), func(where string) bool { return !slices.Contains(backupSecrets, path.Base(where)) })
}

// copyPasswords keeps the passwords before Lieutenant deletes the cluster: with it go all of its secrets, and by the deletion
// policy Delete of Lieutenant's operator their metadata, too, after which nobody can undelete them.
func (r registration) copyPasswords(ctx context.Context, report provisioner.Report) error {
	if err := report.SignIn(ctx, r.syn.Vault.SignIn, r.syn.Show); err != nil {
		return err
	}
	kept, err := r.syn.Passwords.Load()
	if err != nil {
		return err
	}
	if kept == nil {
		kept = Passwords{}
	}
	_, err = r.syn.Lieutenant.GetCluster(ctx, r.identity.cluster)
	registered := err == nil
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	for _, where := range r.listPasswordPaths() {
		values, err := r.readPassword(ctx, where)
		if err != nil {
			return err
		}
		if _, known := kept[where]; values != nil || registered && !known {
			kept[where] = values
		}
	}
	return r.syn.Passwords.Save(kept)
}

// readPassword returns nil if there is none. One that was deleted is restored, as an earlier run's deletion of the cluster may
// have deleted it.
func (r registration) readPassword(ctx context.Context, where string) (map[string]string, error) {
	values, err := r.syn.Vault.GetSecret(ctx, where)
	if fault.Is(err, fault.NotFound) {
		if _, err = r.syn.Vault.Restore(ctx, where); err == nil {
			values, err = r.syn.Vault.GetSecret(ctx, where)
		}
	}
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return values, err
}

// restorePasswords brings the passwords back that Lieutenant deleted: from Vault, or else from the copy.
func (r registration) restorePasswords(ctx context.Context, report provisioner.Report) error {
	if err := report.SignIn(ctx, r.syn.Vault.SignIn, r.syn.Show); err != nil {
		return err
	}
	kept, err := r.syn.Passwords.Load()
	if err != nil {
		return err
	}
	for _, where := range r.listPasswordPaths() {
		action, err := r.syn.Vault.Restore(ctx, where)
		if fault.Is(err, fault.NotFound) {
			values, known := kept[where]
			switch {
			case known && values == nil:
				report.EmitProgress("there was never a " + where + " in Vault")
				continue
			case !known:
				return fault.New(fault.NotFound, "check that the password of the backups is in Vault", err).
					WithHint("%s is missing, since before this run: without it, the backups cannot be read. Ask the operator of Vault to restore it, or "+
						"run again with --delete-backups", where)
			}
			action, err = r.syn.Vault.SetSecret(ctx, where, values)
		}
		if err != nil {
			return err
		}
		report.EmitObject("vault-secret", where, "", string(action))
	}
	return r.syn.Passwords.Save(nil)
}
