package etcdbackup

import (
	"context"
	"fmt"
	"time"

	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift"
	"exoshift/state"
	"exoshift/wizard"
)

// ReadKeys returns whom a backup is encrypted to, and the identities at hand.
type ReadKeys = func(ctx context.Context) (backup.Keys, error)

// Source is the bucket of a cluster's backups: one that is there is used, or one is made.
type Source struct {
	Net      network.Network
	Folder   state.Folder
	Spec     state.Spec
	Secrets  wizard.Secrets
	InfraID  string   // of this installation of the cluster
	Program  string   // name, version and system of this program
	ReadKeys ReadKeys // nil: neither is one looked for in the bucket, nor made
}

// Require decides which backup of etcd there is to come back to: a backup in the bucket counts if it was verified, and is as young as one in a
// folder has to be. The journal is of what has to be made.
func (s Source) Require(ctx context.Context, wanted Choice, now time.Time, journal state.Recorder) (backup.Requirement, error) {
	reason := wanted.Check(now)
	switch {
	case wanted.Without:
		return backup.Requirement{Text: "you do without a backup of etcd"}, nil
	case reason == "":
		return backup.Requirement{Text: "the backup of etcd in " + wanted.Folder + " is whole, and of the last 24 hours"}, nil
	case wanted.Folder != "" || s.ReadKeys == nil:
		return backup.Requirement{Refusal: reason}, nil
	}
	storage, err := s.openStorage(state.NoJournal{})
	if err != nil {
		return backup.Requirement{}, err
	}
	defer storage.Close()
	store := backup.NewStore(s.Spec, storage)
	recent, err := store.FindRecent(ctx, s.InfraID, now.Add(-MaximumAge))
	switch {
	case ctx.Err() != nil:
		return backup.Requirement{}, err
	case err != nil:
		return backup.Requirement{Refusal: reason + "; the bucket of backups cannot be read: " + err.Error()}, nil
	case recent != nil:
		return backup.Requirement{Text: fmt.Sprintf("the backup %s in the bucket %s", recent.Name, store.Bucket())}, nil
	}
	keys, err := s.ReadKeys(ctx)
	if err != nil {
		return backup.Requirement{Refusal: reason + "; none can be made: " + err.Error()}, nil //nolint:nilerr // it is the reason
	}
	return backup.Requirement{
		Text: fmt.Sprintf("one is made first: the bucket %s has none of the last 24 hours", store.Bucket()),
		Make: func(ctx context.Context, report provisioner.Report, without string) error {
			return s.create(ctx, report, journal, backup.Options{Keys: keys, InfraID: s.InfraID, Program: s.Program, Without: without})
		},
	}, nil
}

func (s Source) openStorage(journal state.Recorder) (*objects.Client, error) {
	storage, err := objects.New(s.Net, s.Spec.Exoscale.Zone, s.Secrets.APIKey, s.Secrets.APISecret, journal)
	if err != nil {
		return nil, err
	}
	return storage.WithOwner(s.Spec.Cluster.ID), nil
}

func (s Source) create(ctx context.Context, report provisioner.Report, journal state.Recorder, options backup.Options) error {
	storage, err := s.openStorage(journal)
	if err != nil {
		return err
	}
	defer storage.Close()
	cluster := openshift.NewCluster(s.Net, run.Run{Folder: s.Folder}.ReadKubeconfig)
	defer cluster.Close()
	err = backup.NewCreate(s.Spec, backup.Clients{Cluster: cluster, Objects: storage, Clock: s.Net.Clock}, options).Run(ctx, report)
	if err == nil {
		return nil
	}
	return fault.New(fault.KindOf(err), "make a backup of etcd first", err).
		WithHint("run the same command again once the control plane is at rest; with another backup give --etcd-backup FOLDER, or do without by --without-backup")
}
