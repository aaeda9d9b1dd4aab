package nodes

import (
	"context"

	"exoshift/internal/app/etcdbackup"
	"exoshift/internal/app/run"
)

// NewBackupSource returns where a verb gets a backup of etcd of the cluster from.
func NewBackupSource(c Cluster, program string, readKeys etcdbackup.ReadKeys) etcdbackup.Source {
	return etcdbackup.Source{Net: c.Net, Folder: c.Folder, Spec: c.Spec, Secrets: c.Secrets, InfraID: c.Facts.InfraID, Program: program, ReadKeys: readKeys}
}

// RewriteHandover keeps the hand-over page of the cluster true, if there is one.
func RewriteHandover(c Cluster) error { return c.rewriteHandover() }

// OpenRun returns the run that an installation of the unchanged answers would be.
func OpenRun(ctx context.Context, c Cluster, wanted Installer) (run.Run, error) {
	return c.openRun(ctx, wanted)
}
