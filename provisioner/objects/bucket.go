package objects

import (
	"context"

	"github.com/minio/minio-go/v7"

	"exoshift/internal/fault"
	"exoshift/state"
)

// EnsureBucket makes a bucket that nobody else can read.
func (c *Client) EnsureBucket(ctx context.Context, bucket string) (state.Action, error) {
	exists, err := c.bucketExists(ctx, bucket)
	if err != nil {
		return "", err
	}
	if exists {
		return c.adopt(kindBucket, bucket)
	}
	return state.Created, c.change(ctx, "create bucket "+bucket, state.Created, kindBucket, bucket, func() error {
		err := c.s3.MakeBucket(ctx, bucket, minio.MakeBucketOptions{Region: c.zone})
		if minio.ToErrorResponse(err).Code == "BucketAlreadyOwnedByYou" { // the answer to the first attempt was lost
			return nil
		}
		return err
	})
}

func (c *Client) bucketExists(ctx context.Context, bucket string) (bool, error) {
	exists, err := c.s3.BucketExists(ctx, bucket)
	return exists, c.translate(ctx, "look for bucket "+bucket, err)
}

// DeleteBucket deletes a bucket with all that is in it: objects, their versions, and uploads that never ended.
func (c *Client) DeleteBucket(ctx context.Context, bucket string) (state.Action, error) {
	exists, err := c.bucketExists(ctx, bucket)
	if err != nil {
		return "", err
	}
	if !exists {
		return state.Found, nil
	}
	return state.Deleted, c.change(ctx, "delete bucket "+bucket, state.Deleted, kindBucket, bucket, func() error {
		return ignoreGone(c.removeBucket(ctx, bucket))
	})
}

func (c *Client) removeBucket(ctx context.Context, bucket string) error {
	if err := c.removeVersions(ctx, bucket); err != nil {
		return err
	}
	if err := c.removeUploads(ctx, bucket); err != nil {
		return err
	}
	return c.s3.RemoveBucket(ctx, bucket)
}

// removeVersions removes every version of every object, one request each: bootstrap buckets hold a handful.
func (c *Client) removeVersions(ctx context.Context, bucket string) error {
	all := minio.ListObjectsOptions{Recursive: true, WithVersions: true}
	for object := range c.s3.ListObjectsIter(ctx, bucket, all) {
		if object.Err != nil {
			return object.Err
		}
		version := minio.RemoveObjectOptions{VersionID: object.VersionID}
		if err := ignoreGone(c.s3.RemoveObject(ctx, bucket, object.Key, version)); err != nil {
			return err
		}
	}
	return nil
}

// removeUploads aborts the uploads that are still open. Cancelling the context ends the listing's goroutine.
func (c *Client) removeUploads(ctx context.Context, bucket string) error {
	listing, cancel := context.WithCancel(ctx)
	defer cancel()
	for upload := range c.s3.ListIncompleteUploads(listing, bucket, "", true) {
		if upload.Err != nil {
			return upload.Err
		}
		if err := ignoreGone(c.s3.RemoveIncompleteUpload(ctx, bucket, upload.Key)); err != nil {
			return err
		}
	}
	return nil
}

// ignoreGone makes a deletion content with what is gone already.
func ignoreGone(err error) error {
	if err != nil && kindOf(minio.ToErrorResponse(err)) == fault.NotFound {
		return nil
	}
	return err
}
