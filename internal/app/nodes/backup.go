package nodes

import (
	"context"

	"exoshift/internal/app/etcdbackup"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

// makeBackup makes a backup of etcd; without is a master whose member does not count.
type makeBackup = func(ctx context.Context, report provisioner.Report, without string) error

// chooseBackup returns why there is no backup of etcd to come back to, "": there is, or nobody wants one; and what makes one before masters are
// changed, nil: none has to be made. A backup in the bucket counts if it was verified, and is as young as one in a folder has to be.
func (c masterChange) chooseBackup(ctx context.Context, wanted Removal, journal state.Recorder) (reason string, create makeBackup, err error) {
	reason = wanted.Backup.Check(c.Now())
	if reason == "" || wanted.Backup.Folder != "" || wanted.ReadKeys == nil {
		return reason, nil, nil
	}
	storage, err := c.openStorage(state.NoJournal{})
	if err != nil {
		return "", nil, err
	}
	defer storage.Close()
	recent, err := backup.NewStore(c.Spec, storage).FindRecent(ctx, c.Facts.InfraID, c.Now().Add(-etcdbackup.MaximumAge))
	switch {
	case ctx.Err() != nil:
		return "", nil, err
	case err != nil:
		return reason + "; the bucket of backups cannot be read: " + err.Error(), nil, nil
	case recent != nil:
		return "", nil, nil
	}
	keys, err := wanted.ReadKeys(ctx)
	if err != nil {
		return reason + "; none can be made: " + err.Error(), nil, nil //nolint:nilerr // it is the reason
	}
	return "", func(ctx context.Context, report provisioner.Report, without string) error {
		return c.createBackup(ctx, report, journal, backup.Options{Keys: keys, InfraID: c.Facts.InfraID, Program: wanted.Program, Without: without})
	}, nil
}

func (c masterChange) openStorage(journal state.Recorder) (*objects.Client, error) {
	storage, err := objects.New(c.Net, c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret, journal)
	if err != nil {
		return nil, err
	}
	return storage.WithOwner(c.Spec.Cluster.ID), nil
}

func (c masterChange) createBackup(ctx context.Context, report provisioner.Report, journal state.Recorder, options backup.Options) error {
	storage, err := c.openStorage(journal)
	if err != nil {
		return err
	}
	defer storage.Close()
	cluster := openshift.NewCluster(c.Net, run.Run{Folder: c.Folder}.ReadKubeconfig)
	defer cluster.Close()
	err = backup.NewCreate(c.Spec, backup.Clients{Cluster: cluster, Objects: storage, Clock: c.Net.Clock}, options).Run(ctx, report)
	if err == nil {
		return nil
	}
	return fault.New(fault.KindOf(err), "make a backup of etcd first", err).
		WithHint("run the same command again once the control plane is at rest; with another backup give --etcd-backup FOLDER, or do without by --without-backup")
}
