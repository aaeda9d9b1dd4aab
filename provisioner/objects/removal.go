package objects

import (
	"context"
	"iter"

	"github.com/minio/minio-go/v7"

	"exoshift/internal/fault"
	"exoshift/state"
)

// maxPasses bounds how often a bucket is emptied: another client may still be writing to it.
const maxPasses = 3

// DeleteBucket deletes a bucket with all its objects, their versions and deletion markers, and unfinished uploads. A missing
// bucket is state.Found, one of another customer or of another cluster a fault.Conflict.
func (c *Buckets) DeleteBucket(ctx context.Context, bucket string) (state.Action, error) {
	op := "delete bucket " + bucket
	switch whose, err := c.getOwnership(ctx, bucket); {
	case err != nil:
		return "", err
	case whose == absent:
		return state.Found, nil
	case whose == theirs:
		return "", fault.Newf(fault.Conflict, op, "it belongs to someone else").
			WithHint("check the name: bucket names are global across all customers")
	}
	if err := c.checkOwner(ctx, op, bucket); err != nil {
		return "", err
	}
	return state.Deleted, c.applyChange(ctx, op, state.Deleted, kindBucket, bucket, func() error {
		return ignoreNotFound(c.removeBucket(ctx, bucket))
	})
}

func (c *Buckets) removeBucket(ctx context.Context, bucket string) (err error) {
	for range maxPasses {
		if err := c.removeObjects(ctx, bucket); err != nil {
			return err
		}
		if err := c.removeUploads(ctx, bucket); err != nil {
			return err
		}
		err = c.s3.RemoveBucket(ctx, bucket)
		if minio.ToErrorResponse(err).Code != "BucketNotEmpty" {
			return err
		}
	}
	return err
}

func (c *Buckets) removeObjects(ctx context.Context, bucket string) error {
	versioning, err := c.s3.GetBucketVersioning(ctx, bucket)
	if err != nil {
		return err
	}
	all := minio.ListObjectsOptions{Recursive: true, WithVersions: versioning.Enabled() || versioning.Suspended()}
	var listing error
	results, err := c.s3.RemoveObjectsWithIter(ctx, bucket, filterErrors(c.listBucket(ctx, bucket, all), &listing), minio.RemoveObjectsOptions{})
	if err != nil {
		return err
	}
	for result := range results {
		if err := ignoreNotFound(result.Err); err != nil {
			return err
		}
	}
	return listing
}

func filterErrors(listing iter.Seq[minio.ObjectInfo], failed *error) iter.Seq[minio.ObjectInfo] {
	return func(yield func(minio.ObjectInfo) bool) {
		for object := range listing {
			if object.Err != nil {
				*failed = object.Err
				return
			}
			if !yield(object) {
				return
			}
		}
	}
}

// removeUploads cancels the context to end the listing's goroutine.
func (c *Buckets) removeUploads(ctx context.Context, bucket string) error {
	listing, cancel := context.WithCancel(ctx)
	defer cancel()
	for upload := range c.s3.ListIncompleteUploads(listing, bucket, "", true) {
		if upload.Err != nil {
			return upload.Err
		}
		if err := ignoreNotFound(c.s3.RemoveIncompleteUpload(ctx, bucket, upload.Key)); err != nil {
			return err
		}
	}
	return nil
}

func ignoreNotFound(err error) error {
	if err != nil && classifyError(minio.ToErrorResponse(err)) == fault.NotFound {
		return nil
	}
	return err
}
