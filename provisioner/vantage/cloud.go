package vantage

import (
	"context"
	"time"

	"exoshift/state"
)

// Cloud is what a machine for a moment needs of the Exoscale API. Deletions wait until the object is gone, and are
// content with one that is gone already.
type Cloud interface {
	InstanceTypes(ctx context.Context) ([]state.InstanceType, error)
	FindPublicTemplate(ctx context.Context, name string) (state.Template, error)
	// ObjectsOf returns the objects of one kind.
	ObjectsOf(ctx context.Context, kind string) ([]state.Object, error)
	// Instances returns the machines that carry all the labels.
	Instances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
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
	Object(ctx context.Context, bucket, key string, most int64) ([]byte, error)
	DeleteObject(ctx context.Context, bucket, key string) (state.Action, error)
	// DeleteBucket deletes a bucket with all that is in it.
	DeleteBucket(ctx context.Context, bucket string) (state.Action, error)
	// BucketDates returns when each bucket was made, by its name.
	BucketDates(ctx context.Context) (map[string]time.Time, error)
	// SignedURL returns a link by which anybody may read an object.
	SignedURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
	// SignedPut returns a link by which anybody may write an object.
	SignedPut(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
}

// Journal notes what is about to be changed, and what became of it; see the clients that need it.
type Journal interface {
	Intend(kind, name string) error
	Done(kind, name, id string, action state.Action) error
	Open(kind, name string) bool
}

// blank is a journal for who only looks.
type blank struct{}

func (blank) Intend(string, string) error                     { return nil }
func (blank) Done(string, string, string, state.Action) error { return nil }
func (blank) Open(string, string) bool                        { return false }
