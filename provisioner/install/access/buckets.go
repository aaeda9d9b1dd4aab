package access

import (
	"context"

	"exoshift/provisioner"
	"exoshift/state"
)

// Objects is the part of the object storage that buckets are made with.
type Objects interface {
	// EnsureBucket creates a private bucket with the cluster's owner mark; one with the mark of another cluster is a
	// fault.Conflict.
	EnsureBucket(ctx context.Context, bucket string) (state.Action, error)
	// DeleteBucket deletes a bucket with all its objects, unless it has the mark of another cluster. One that is gone
	// already is state.Found.
	DeleteBucket(ctx context.Context, bucket string) (state.Action, error)
}

// KindStoredObject is the kind of an object in a bucket in events.
const KindStoredObject = "object"

// Buckets creates and deletes the cluster's buckets.
type Buckets struct {
	spec    state.Spec
	objects Objects
}

// NewBuckets returns the buckets of a cluster.
func NewBuckets(spec state.Spec, objects Objects) *Buckets {
	return &Buckets{spec: spec, objects: objects}
}

// Ensure creates the buckets that the cluster uses: its own key may not create any.
func (b *Buckets) Ensure(ctx context.Context, report provisioner.Report) error {
	return provisioner.ForEach(ctx, state.ListPersistentBuckets(), func(ctx context.Context, purpose string) error {
		return b.EnsureOne(ctx, report, purpose)
	})
}

// EnsureOne creates the bucket of a purpose.
func (b *Buckets) EnsureOne(ctx context.Context, report provisioner.Report, purpose string) error {
	bucket := b.spec.Bucket(purpose)
	action, err := b.objects.EnsureBucket(ctx, bucket)
	if err != nil {
		return err
	}
	report.EmitObject(state.KindBucket, bucket, "", string(action))
	return nil
}

// Delete deletes the bucket of a purpose, if an earlier run has not done so. keys are the objects in it that are reported.
func (b *Buckets) Delete(ctx context.Context, report provisioner.Report, purpose string, keys ...string) error {
	bucket := b.spec.Bucket(purpose)
	action, err := b.objects.DeleteBucket(ctx, bucket)
	if err != nil || action == state.Found {
		return err
	}
	for _, key := range keys {
		report.EmitObject(KindStoredObject, bucket+"/"+key, "", string(action))
	}
	report.EmitObject(state.KindBucket, bucket, "", string(action))
	return nil
}

// ListPersistentBuckets returns the names of the buckets that the cluster uses.
func ListPersistentBuckets(spec state.Spec) []string {
	var names []string
	for _, purpose := range state.ListPersistentBuckets() {
		names = append(names, spec.Bucket(purpose))
	}
	return names
}
