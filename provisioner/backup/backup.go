// Package backup makes backups of a cluster: a snapshot of etcd with the static pods' resources, and the objects of the API. All of it is
// encrypted on its way from the cluster into the bucket, read back, and listed as a backup only then.
package backup

import (
	"context"
	"io"
	"net/netip"
	"time"

	"filippo.io/age"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/backup"
	"exoshift/state/controlplane"
)

// Cluster is the API of the cluster.
type Cluster interface {
	// Poll reads the whole state of the cluster.
	Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error)
	// InspectControlPlane reads the members of etcd, the revisions of what runs on the masters, and which API servers are ready.
	InspectControlPlane(ctx context.Context) (controlplane.State, error)
	// ListClusterNodes returns the nodes, sorted by name.
	ListClusterNodes(ctx context.Context) ([]state.ClusterNode, error)
	// PrepareSnapshot starts what makes a snapshot on a master; fault.Transient: it does not run yet.
	PrepareSnapshot(ctx context.Context, node string) error
	// MakeSnapshot makes a snapshot on that master. fault.Conflict: the cluster refuses it, with backup.ErrProgressing as operators progress.
	MakeSnapshot(ctx context.Context, node string) (backup.Snapshot, error)
	// ReadSnapshotFile writes one of the files of the snapshot.
	ReadSnapshotFile(ctx context.Context, file backup.SnapshotFile, to io.Writer) error
	// EndSnapshot deletes what PrepareSnapshot and MakeSnapshot have made: state.Found if there is nothing; fault.Transient: not yet.
	EndSnapshot(ctx context.Context) (state.Action, error)
	// ArchiveObjects writes the objects of the API as a compressed tar.
	ArchiveObjects(ctx context.Context, to io.Writer) (backup.Objects, error)
}

// Objects is the object storage.
type Objects interface {
	// EnsureBucket creates a private bucket; one of another customer, or with the mark of another cluster, is a fault.Conflict.
	EnsureBucket(ctx context.Context, bucket string) (state.Action, error)
	// ListObjects returns the objects whose keys begin with a prefix, sorted by their keys.
	ListObjects(ctx context.Context, bucket, prefix string) ([]backup.StoredObject, error)
	// Upload creates an object of content whose size is not known.
	Upload(ctx context.Context, bucket, key string, content io.Reader, sent func(bytes int)) error
	// EnsureObject creates an object unless it has that content.
	EnsureObject(ctx context.Context, bucket, key string, content []byte) (state.Action, error)
	// GetObject returns the content of an object: fault.NotFound if there is none.
	GetObject(ctx context.Context, bucket, key string, most int64) ([]byte, error)
	// Download writes the content of an object of any size.
	Download(ctx context.Context, bucket, key string, to io.Writer) error
	// DeleteObject deletes an object; a missing one is no error.
	DeleteObject(ctx context.Context, bucket, key string) (state.Action, error)
	// AbortUploads removes the parts of unfinished uploads of objects whose keys begin with a prefix.
	AbortUploads(ctx context.Context, bucket, prefix string) error
}

// Keys are who can read backups.
type Keys struct {
	Recipients []string // public keys, as age takes them
	// Parsed are the same.
	Parsed []age.Recipient
	// Identities are private keys at hand; none: what is stored is compared without being decrypted.
	Identities []age.Identity
}

// Phases of the steps, by which a failure has its exit code: those of an installation.
const (
	phaseStorage   = "infrastructure"
	phaseEtcd      = "control-plane"
	phaseOperators = "operators"
)

const (
	pollInterval = 10 * time.Second
	// podLimit is for how long the pod may take to start, and to end.
	podLimit = 10 * time.Minute
	// storageLimit is for how long the storage, and the API, may be away.
	storageLimit = 5 * time.Minute
)

// repeat repeats a check until it succeeds, fails for good, or the limit has passed.
func repeat(ctx context.Context, clock provisioner.Clock, report provisioner.Report, limit time.Duration, check func(context.Context) error) error {
	var failure error
	wait := provisioner.PollUntil(clock, pollInterval, limit, func(ctx context.Context, _ provisioner.Report) error {
		if failure = check(ctx); fault.Is(failure, fault.Transient) || fault.Is(failure, fault.Timeout) {
			return failure
		}
		return nil
	})
	if err := wait(ctx, report); err != nil {
		return err
	}
	return failure
}
