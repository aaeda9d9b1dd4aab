package remoterun

import (
	"context"
	"time"

	"exoshift/state"
)

// Cloud is what a machine for a moment needs of the Exoscale API. Deletions wait until the object is gone, and are
// content with one that is gone already.
type Cloud interface {
	ListInstanceTypes(ctx context.Context) ([]state.InstanceType, error)
	FindPublicTemplate(ctx context.Context, name string) (state.Template, error)
	// ListObjectsByKind returns the objects of one kind.
	ListObjectsByKind(ctx context.Context, kind string) ([]state.Object, error)
	// Instances returns the machines that carry all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (id string, action state.Action, err error)
	// EnsureInstances waits until the machines run, and tells of each.
	EnsureInstances(ctx context.Context, wanted []state.Instance, told func(state.Instance, state.Action)) error
	Delete(ctx context.Context, object state.Object) (state.Action, error)
}

// Storage is the object storage of the zone, by which we and the machine exchange what there is to say.
type Storage interface {
	EnsureBucket(ctx context.Context, bucket string) (state.Action, error)
	EnsureObject(ctx context.Context, bucket, key string, content []byte) (state.Action, error)
	// CheckPrivate fails unless strangers are refused.
	CheckPrivate(ctx context.Context, bucket, key string) error
	// Object returns at most that many bytes, or fault.NotFound.
	GetObject(ctx context.Context, bucket, key string, most int64) ([]byte, error)
	DeleteObject(ctx context.Context, bucket, key string) (state.Action, error)
	// DeleteBucket deletes a bucket with all that is in it.
	DeleteBucket(ctx context.Context, bucket string) (state.Action, error)
	// ListBucketDates returns when each bucket was made, by its name.
	ListBucketDates(ctx context.Context) (map[string]time.Time, error)
	// SignGetURL returns a link by which anybody may read an object.
	SignGetURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
	// SignPutURL returns a link by which anybody may write an object.
	SignPutURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
}

// Journal notes what is about to be changed, and what became of it; see the clients that need it.
type Journal interface {
	RecordIntent(kind, name string) error
	RecordResult(kind, name, id string, action state.Action) error
	Open(kind, name string) bool
}

// discardJournal is a journal for who only looks.
type discardJournal struct{}

func (discardJournal) RecordIntent(string, string) error                       { return nil }
func (discardJournal) RecordResult(string, string, string, state.Action) error { return nil }
func (discardJournal) Open(string, string) bool                                { return false }
