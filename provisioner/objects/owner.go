package objects

import (
	"context"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"

	"exoshift/internal/fault"
	"exoshift/state"
)

// markPrefix begins the key of an owner's mark; the cluster's ID follows. Marks are objects because Exoscale's documentation
// mentions no tags of buckets and denies those of objects.
const markPrefix = "exoshift-owner/"

// GetBucketOwner returns the cluster that a bucket is marked with, or "" if it has no mark. Several marks, which only a failure
// leaves, are returned joined: such a bucket has no owner.
func (c *Buckets) GetBucketOwner(ctx context.Context, bucket string) (string, error) {
	owners, err := c.listOwners(ctx, bucket)
	return strings.Join(owners, " and "), err
}

func (c *Buckets) listOwners(ctx context.Context, bucket string) ([]string, error) {
	var owners []string
	for object := range c.listBucket(ctx, bucket, minio.ListObjectsOptions{Prefix: markPrefix, Recursive: true}) {
		if object.Err != nil {
			return nil, c.translate(ctx, "find the owner of bucket "+bucket+" is", object.Err)
		}
		owners = append(owners, strings.TrimPrefix(object.Key, markPrefix))
	}
	return owners, nil
}

// markOwner writes the owner's mark if there is none. Two clusters may do so concurrently: each lists the marks again after it
// wrote, and deletes its own if it finds another one. So at most one of them continues.
func (c *Buckets) markOwner(ctx context.Context, bucket string) (marked bool, err error) {
	if c.owner == "" {
		return false, nil
	}
	owners, err := c.listOwners(ctx, bucket)
	switch {
	case err != nil:
		return false, err
	case slices.Equal(owners, []string{c.owner}):
		return false, nil
	case len(owners) > 0:
		return false, newForeignBucketError("use bucket "+bucket, bucket, owners)
	case c.preview:
		return true, nil
	}
	key := markPrefix + c.owner
	text := "This bucket belongs to the OpenShift cluster " + c.owner + " and is deleted with it.\n"
	err = c.applyChange(ctx, "mark bucket "+bucket, state.Created, kindObject, bucket+"/"+key, func() error {
		return c.objects.putObject(ctx, bucket, key, []byte(text))
	})
	if err != nil {
		return false, err
	}
	owners, err = c.listOwners(ctx, bucket)
	if err != nil || slices.Equal(owners, []string{c.owner}) {
		return true, err
	}
	if _, err := c.objects.DeleteObject(ctx, bucket, key); err != nil {
		return true, err
	}
	others := slices.DeleteFunc(owners, func(owner string) bool { return owner == c.owner })
	return true, newForeignBucketError("use bucket "+bucket, bucket, others)
}

func (c *Buckets) checkOwner(ctx context.Context, op, bucket string) error {
	if c.owner == "" {
		return nil
	}
	owners, err := c.listOwners(ctx, bucket)
	if err != nil || len(owners) == 0 || slices.Equal(owners, []string{c.owner}) {
		return err
	}
	return newForeignBucketError(op, bucket, owners)
}

func newForeignBucketError(op, bucket string, owners []string) error {
	return fault.Newf(fault.Conflict, op, "it is marked as owned by cluster %s", strings.Join(owners, " and ")).
		WithHint("choose another objectStorage.bucketPrefix; if the mark is wrong, delete its object below %s/%s", bucket, markPrefix)
}

// GetBucketUse returns who uses the name of a bucket.
func (c *Buckets) GetBucketUse(ctx context.Context, bucket string) (state.BucketUse, error) {
	whose, err := c.getOwnership(ctx, bucket)
	if err != nil || whose != ours {
		return state.BucketUse{Taken: whose == theirs}, err
	}
	use := state.BucketUse{Exists: true}
	if use.Owner, err = c.GetBucketOwner(ctx, bucket); err != nil {
		return use, err
	}
	use.Empty, err = c.isEmpty(ctx, bucket)
	return use, err
}

func (c *Buckets) isEmpty(ctx context.Context, bucket string) (bool, error) {
	for object := range c.listBucket(ctx, bucket, minio.ListObjectsOptions{Recursive: true}) {
		if object.Err != nil {
			return false, c.translate(ctx, "look into bucket "+bucket, object.Err)
		}
		if !strings.HasPrefix(object.Key, markPrefix) {
			return false, nil
		}
	}
	return true, nil
}
