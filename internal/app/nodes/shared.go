package nodes

import (
	"context"
	"time"

	"exoshift/internal/app/etcdbackup"
	"exoshift/internal/app/run"
	"exoshift/provisioner"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

// OpenJournal opens the journal of the folder; what only reads has none.
func (c Cluster) OpenJournal(readOnly bool) (journal state.Recorder, closeJournal func(), err error) {
	if readOnly {
		return state.NoJournal{}, func() {}, nil
	}
	opened, err := c.Folder.OpenJournal(c.Net.Clock.Now)
	return opened, func() { _ = opened.Close() }, err // each entry is synced already
}

// NewClient returns a client of the cluster's API.
func (c Cluster) NewClient() *openshift.Cluster {
	return openshift.NewCluster(c.Net, run.Run{Folder: c.Folder}.ReadKubeconfig)
}

// WithStorage calls do with clients of the cluster's API and of its buckets, whose changes are recorded in the journal.
func (c Cluster) WithStorage(journal state.Recorder, do func(*openshift.Cluster, *objects.Client) error) error {
	storage, err := objects.New(c.Net, c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret, journal)
	if err != nil {
		return err
	}
	defer storage.Close()
	cluster := c.NewClient()
	defer cluster.Close()
	return do(cluster, storage.WithOwner(c.Spec.Cluster.ID))
}

// settleLimit is for how long the cluster of a rehearsal may take to be well: its machines start when its zone is opened.
const settleLimit = 20 * time.Minute

// PollReview calls review until it returns nil, for at most limit, and in a rehearsal until its cluster may be well. What review has found last
// is what counts; the only error is that of an interruption.
func (c Cluster) PollReview(ctx context.Context, limit time.Duration, review func(ctx context.Context, report provisioner.Report) error) error {
	if c.Facts.Rehearsal {
		limit = max(limit, settleLimit)
	}
	_ = provisioner.PollUntil(c.Net.Clock, 10*time.Second, limit, review)(ctx, func(provisioner.Event) {}) // see above
	return context.Cause(ctx)
}

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
