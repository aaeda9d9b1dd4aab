package objects

import (
	"context"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"exoshift/internal/fault"
	"exoshift/state"
)

// EnsureBucket makes a bucket that nobody else can read.
func (c *Client) EnsureBucket(ctx context.Context, bucket string) (state.Action, error) {
	if err := s3utils.CheckValidBucketNameStrict(bucket); err != nil {
		return "", fault.New(fault.Invalid, "create bucket "+bucket, err).
			WithHint("set objectStorage.bucketPrefix so that the name has 3 to 63 of a-z, 0-9 and -")
	}
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
	if err := c.removeObjects(ctx, bucket); err != nil {
		return err
	}
	if err := c.removeUploads(ctx, bucket); err != nil {
		return err
	}
	return c.s3.RemoveBucket(ctx, bucket)
}

// removeObjects removes every object, with all its versions if the bucket ever had versions. That takes a request
// for each, but our buckets hold a handful.
func (c *Client) removeObjects(ctx context.Context, bucket string) error {
	versioning, err := c.s3.GetBucketVersioning(ctx, bucket)
	if err != nil {
		return err
	}
	all := minio.ListObjectsOptions{Recursive: true, WithVersions: versioning.Enabled() || versioning.Suspended()}
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
