package recovery

import (
	"context"
	"io"

	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/recovery"
	"exoshift/state"
)

// openBackup returns the backup that is to be restored, read back as a whole: nothing is changed for the sake of one that is damaged. nil: the
// data of a member stays.
func (c Cluster) openBackup(ctx context.Context, wanted Request) (opened *recovery.Backup, end func(), err error) {
	if wanted.Backup == "" {
		return nil, func() {}, nil
	}
	storage, err := objects.New(c.Net, c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret, state.NoJournal{})
	if err != nil {
		return nil, nil, err
	}
	store := backup.NewStore(c.Spec, storage.WithOwner(c.Spec.Cluster.ID))
	of, err := store.Find(ctx, wanted.Backup)
	if fault.Is(err, fault.NotFound) {
		err = exit.WithCode(exit.Usage, err)
	}
	if err == nil {
		err = c.checkBackup(ctx, store, of, wanted)
	}
	if err != nil {
		storage.Close()
		return nil, nil, err
	}
	copyPart := func(ctx context.Context, part string, to io.Writer) error {
		return store.CopyPart(ctx, of.Manifest, part, wanted.Identities, to)
	}
	return &recovery.Backup{Manifest: of.Manifest, CopyPart: copyPart}, storage.Close, nil
}

// checkBackup refuses a backup that must not be restored, or cannot be.
func (c Cluster) checkBackup(ctx context.Context, store *backup.Store, of backup.Backup, wanted Request) error {
	if of.Cluster != "" {
		if err := recovery.CheckBackup(c.Spec, c.Facts.InfraID, of.Manifest); err != nil {
			return withCode(err)
		}
	}
	if of.Problem != "" {
		return c.reject(wanted, of, backup.NewUnusableError(of))
	}
	if begun := c.Facts.Recovery; begun != nil && begun.Restored && begun.Backup == of.Name {
		return nil // it was read back before, and is not needed any more
	}
	etcd, decrypted, err := store.Verify(ctx, of.Manifest, wanted.Identities)
	switch {
	case err != nil:
		return c.reject(wanted, of, err)
	case !decrypted:
		return exit.WithCode(exit.Answers, backup.NewNoIdentityError(of.Manifest))
	case etcd != of.Etcd.Status && of.Etcd.Revision != 0:
		return c.reject(wanted, of, backup.NewOtherStatusError(of.Manifest, etcd))
	}
	return nil
}

// reject emits the finding about a backup that is damaged.
func (c Cluster) reject(wanted Request, of backup.Backup, err error) error {
	emit := wanted.Emit
	if emit == nil {
		emit = func(provisioner.Event) {}
	}
	backup.EmitUnreadable(emit, c.Net.Clock, c.Spec, of.Name, err)
	if fault.Is(err, fault.Invalid) {
		err = exit.WithCode(exit.ControlPlane, err)
	}
	return err
}

// chooseHost returns the master on which a backup is restored: that of a recovery that was begun, unless somebody decides otherwise.
func (c Cluster) chooseHost(ctx context.Context, wanted Request, cloud recovery.Cloud) (string, error) {
	begun := c.Facts.Recovery
	switch {
	case wanted.Backup == "":
		return wanted.From, nil
	case wanted.From != "":
		return wanted.From, nil
	case begun != nil && begun.Backup == wanted.Backup:
		return begun.From, nil
	}
	chosen, err := recovery.ChooseHost(ctx, c.Spec, cloud)
	if chosen == "" {
		chosen = c.Spec.Machines(state.RoleMaster)[0].Name // whose lack of a machine is refused
	}
	return chosen, err
}
