package objects

import (
	"context"
	"slices"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"exoshift/internal/fault"
	"exoshift/state"
)

// ownership distinguishes our buckets from those of others: all customers share the names of buckets.
type ownership int

const (
	absent ownership = iota
	ours
	theirs
)

// Buckets are those of the organization, marked as a cluster's.
type Buckets struct {
	*connection
	objects *Objects
	owner   string // the cluster that buckets are marked with; see Client.WithOwner
}

// EnsureBucket creates a private bucket, and marks it with the client's owner if it has one. A bucket of that name that belongs
// to another customer is a fault.Conflict, even if it is writable: its owner could read what is uploaded. So is one that is
// marked as another cluster's.
func (c *Buckets) EnsureBucket(ctx context.Context, bucket string) (state.Action, error) {
	op := "create bucket " + bucket
	if err := s3utils.CheckValidBucketNameStrict(bucket); err != nil {
		return "", fault.New(fault.Invalid, op, err).
			WithHint("set objectStorage.bucketPrefix so that the name has 3 to 63 of a-z, 0-9 and -")
	}
	switch whose, err := c.getOwnership(ctx, bucket); {
	case err != nil:
		return "", err
	case whose == ours:
		return c.useBucket(ctx, bucket)
	case whose == theirs:
		return "", c.newTakenError(op)
	}
	err := c.applyChange(ctx, op, state.Created, kindBucket, bucket, func() error {
		err := c.s3.MakeBucket(ctx, bucket, minio.MakeBucketOptions{Region: c.zone})
		if minio.ToErrorResponse(err).Code == "BucketAlreadyOwnedByYou" { // the response to the first attempt was lost
			return nil
		}
		return err
	})
	if err == nil && !c.preview {
		_, err = c.markOwner(ctx, bucket)
	}
	return state.Created, err
}

func (c *Buckets) useBucket(ctx context.Context, bucket string) (state.Action, error) {
	marked, err := c.markOwner(ctx, bucket)
	if err != nil {
		return "", err
	}
	action, err := c.recordAdoption(kindBucket, bucket)
	if marked && action == state.Found {
		action = state.Updated
	}
	return action, err
}

// getOwnership goes by the list of buckets: that a bucket is readable does not make it ours.
func (c *Buckets) getOwnership(ctx context.Context, bucket string) (ownership, error) {
	exists, err := c.s3.BucketExists(ctx, bucket)
	refused := minio.ToErrorResponse(err).Code == minio.AccessDenied
	if err != nil && !refused || err == nil && !exists {
		return absent, c.translate(ctx, "find bucket "+bucket, err)
	}
	buckets, listed := c.s3.ListBuckets(ctx)
	own := slices.ContainsFunc(buckets, func(b minio.BucketInfo) bool { return b.Name == bucket })
	switch {
	case refused && (listed != nil || own):
		return absent, c.translate(ctx, "find bucket "+bucket, err)
	case listed != nil:
		return absent, c.translate(ctx, "list buckets", listed)
	case own:
		return ours, nil
	}
	return theirs, nil
}

func (c *Buckets) newTakenError(op string) error {
	return fault.Newf(fault.Conflict, op, "the bucket belongs to someone else").
		WithHint("%s", c.findHint(fault.Conflict, minio.BucketAlreadyExists))
}

// ListBuckets returns all buckets of the organization.
func (c *Buckets) ListBuckets(ctx context.Context) ([]state.Object, error) {
	all, err := c.s3.ListBuckets(ctx)
	if err != nil {
		return nil, c.translate(ctx, "list buckets", err)
	}
	buckets := make([]state.Object, len(all))
	for i, bucket := range all {
		buckets[i] = state.Object{
			Kind: state.KindBucket, Name: bucket.Name, ID: bucket.Name,
			Detail: "made on " + bucket.CreationDate.Format(time.DateOnly),
		}
	}
	return buckets, nil
}

// ListBucketDates returns the creation time of each bucket of the organization, by name.
func (c *Buckets) ListBucketDates(ctx context.Context) (map[string]time.Time, error) {
	all, err := c.s3.ListBuckets(ctx)
	if err != nil {
		return nil, c.translate(ctx, "list buckets", err)
	}
	dates := make(map[string]time.Time, len(all))
	for _, bucket := range all {
		dates[bucket.Name] = bucket.CreationDate
	}
	return dates, nil
}
