package objects

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/minio/minio-go/v7"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/state/backup"
)

// listBucket yields the objects of a bucket. The client's own listing ends without an error when the context ends, as if there were no more.
func (c *connection) listBucket(ctx context.Context, bucket string, options minio.ListObjectsOptions) iter.Seq[minio.ObjectInfo] {
	return func(yield func(minio.ObjectInfo) bool) {
		for object := range c.s3.ListObjectsIter(ctx, bucket, options) {
			if !yield(object) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(minio.ObjectInfo{Err: err})
		}
	}
}

// ListObjects returns the objects whose keys begin with a prefix, sorted by their keys.
func (c *Objects) ListObjects(ctx context.Context, bucket, prefix string) ([]backup.StoredObject, error) {
	var found []backup.StoredObject
	for object := range c.listBucket(ctx, bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if object.Err != nil {
			return nil, c.translate(ctx, "list the objects of bucket "+bucket, object.Err)
		}
		found = append(found, backup.StoredObject{Key: object.Key, Size: object.Size, Modified: object.LastModified})
	}
	return found, nil
}

// AbortUploads removes the parts of uploads that were not completed, of objects whose keys begin with a prefix.
func (c *Objects) AbortUploads(ctx context.Context, bucket, prefix string) error {
	op := "remove unfinished uploads from bucket " + bucket
	listing, cancel := context.WithCancel(ctx) // ends the listing's goroutine
	defer cancel()
	for upload := range c.s3.ListIncompleteUploads(listing, bucket, prefix, true) {
		if upload.Err != nil {
			return c.translate(ctx, op, upload.Err)
		}
		err := c.applyChange(ctx, op, state.Deleted, kindObject, bucket+"/"+upload.Key, func() error {
			return ignoreNotFound(c.s3.RemoveIncompleteUpload(ctx, bucket, upload.Key))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fetchAttempts is how often a range of an object is requested whose answer ends early.
const fetchAttempts = 5

// Download writes the content of an object of any size, which is requested range by range: fault.NotFound if there is none. One range is in
// memory. What it is when the download begins is what is written, or the download fails.
func (c *Objects) Download(ctx context.Context, bucket, key string, to io.Writer) error {
	op := "read object " + bucket + "/" + key
	info, err := c.s3.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
	if err != nil {
		return c.translate(ctx, op, err)
	}
	buffer := make([]byte, min(partSize, info.Size))
	for begin := int64(0); begin < info.Size; begin += partSize {
		part := buffer[:min(partSize, info.Size-begin)]
		if err := c.fetchRange(ctx, info, bucket, begin, part); err != nil {
			return c.translate(ctx, op, err)
		}
		if _, err := to.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// fetchRange fills part with the bytes of an object from begin on.
func (c *Objects) fetchRange(ctx context.Context, of minio.ObjectInfo, bucket string, begin int64, part []byte) (err error) {
	var options minio.GetObjectOptions
	if err := errors.Join(options.SetRange(begin, begin+int64(len(part))-1), options.SetMatchETag(of.ETag)); err != nil {
		return err
	}
	for range fetchAttempts {
		var body io.ReadCloser
		body, _, _, err = (minio.Core{Client: c.s3}).GetObject(ctx, bucket, of.Key, options)
		if err == nil {
			_, err = io.ReadFull(body, part)
			_ = body.Close() // it was only read
		}
		if err == nil || ctx.Err() != nil || !fault.Is(c.translate(ctx, "", err), fault.Transient) {
			return err
		}
	}
	return err
}
