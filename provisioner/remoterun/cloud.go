package remoterun

import (
	"context"
	"time"

	"exoshift/state"
)

// Cloud is the part of the Exoscale API that a run needs. Deletions wait until the object is gone, and ignore objects that are
// already gone.
type Cloud interface {
	ListInstanceTypes(ctx context.Context) ([]state.InstanceType, error)
	FindPublicTemplate(ctx context.Context, name string) (state.Template, error)
	ListObjectsByKind(ctx context.Context, kind string) ([]state.Object, error)
	// ListInstances returns the instances that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (id string, action state.Action, err error)
	// EnsureInstances waits until the instances run.
	EnsureInstances(ctx context.Context, wanted []state.Instance, observer state.InstanceObserver) error
	Delete(ctx context.Context, object state.Object) (state.Action, error)
}

// Storage is the object storage of the zone, through which we and the machine exchange data.
type Storage interface {
	EnsureBucket(ctx context.Context, bucket string) (state.Action, error)
	EnsureObject(ctx context.Context, bucket, key string, content []byte) (state.Action, error)
	// CheckPrivate fails unless unsigned requests are refused.
	CheckPrivate(ctx context.Context, bucket, key string) error
	// GetObject returns at most that many bytes, or fault.NotFound.
	GetObject(ctx context.Context, bucket, key string, most int64) ([]byte, error)
	DeleteObject(ctx context.Context, bucket, key string) (state.Action, error)
	// DeleteBucket deletes a bucket with all its objects.
	DeleteBucket(ctx context.Context, bucket string) (state.Action, error)
	// ListBucketDates returns the creation time of each bucket, by name.
	ListBucketDates(ctx context.Context) (map[string]time.Time, error)
	// SignGetURL returns a URL with which anybody may read an object.
	SignGetURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
	// SignPutURL returns a URL with which anybody may write an object.
	SignPutURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
}
