package objects

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // S3 tells objects apart by MD5
	"encoding/hex"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"

	"exoshift/internal/fault"
	"exoshift/state"
)

// partSize is the size of the parts of a stream; 10000 parts are 78 GiB. One part is sent while the next is read, so memory holds
// two.
const partSize = 8 << 20

// EnsureObject uploads content unless the bucket already holds exactly that content.
func (c *Client) EnsureObject(ctx context.Context, bucket, key string, content []byte) (state.Action, error) {
	name, action := bucket+"/"+key, state.Created
	has, err := c.s3.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
	switch {
	case err == nil && isSameObject(has, content):
		return c.recordAdoption(kindObject, name)
	case err == nil:
		action = state.Updated
	case minio.ToErrorResponse(err).Code != "NoSuchKey":
		return "", c.translate(ctx, "look for object "+name, err)
	}
	return action, c.applyChange(ctx, "upload object "+name, action, kindObject, name, func() error {
		return c.putObject(ctx, bucket, key, content)
	})
}

func isSameObject(has minio.ObjectInfo, content []byte) bool {
	sum := md5.Sum(content) //nolint:gosec // see the import
	return has.Size == int64(len(content)) && strings.Trim(has.ETag, `"`) == hex.EncodeToString(sum[:])
}

func (c *Client) putObject(ctx context.Context, bucket, key string, content []byte) error {
	whole := minio.PutObjectOptions{DisableMultipart: true}
	_, err := c.s3.PutObject(ctx, bucket, key, bytes.NewReader(content), int64(len(content)), whole)
	return err
}

// Upload streams content of unknown size. If reading content fails, the object is not created, and the kind of the error is kept.
// No parts are left behind, neither by an upload that fails nor by an earlier one that was killed.
func (c *Client) Upload(ctx context.Context, bucket, key string, content io.Reader) error {
	name := bucket + "/" + key
	return c.applyChange(ctx, "upload object "+name, state.Created, kindObject, name, func() error {
		if err := c.s3.RemoveIncompleteUpload(ctx, bucket, key); err != nil {
			return err
		}
		parts := minio.PutObjectOptions{PartSize: partSize, NumThreads: 2, ConcurrentStreamParts: true}
		_, err := c.s3.PutObject(ctx, bucket, key, content, -1, parts) // aborts the upload on failure
		return err
	})
}

// GetObject returns the content of an object, fault.NotFound if there is none, and fault.Invalid if it has more than most
// bytes.
func (c *Client) GetObject(ctx context.Context, bucket, key string, most int64) ([]byte, error) {
	op := "read object " + bucket + "/" + key
	object, err := c.s3.GetObject(ctx, bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, c.translate(ctx, op, err)
	}
	defer func() { _ = object.Close() }()
	content, err := io.ReadAll(io.LimitReader(object, most+1))
	switch {
	case err != nil:
		return nil, c.translate(ctx, op, err)
	case int64(len(content)) > most:
		return nil, fault.Newf(fault.Invalid, op, "it has more than %d bytes", most)
	}
	return content, nil
}

// DeleteObject deletes an object; a missing object is no error.
func (c *Client) DeleteObject(ctx context.Context, bucket, key string) (state.Action, error) {
	name := bucket + "/" + key
	return state.Deleted, c.applyChange(ctx, "delete object "+name, state.Deleted, kindObject, name, func() error {
		return ignoreNotFound(c.s3.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{}))
	})
}
