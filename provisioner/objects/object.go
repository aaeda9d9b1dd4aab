package objects

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // S3 tells objects apart by MD5
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"exoshift/internal/fault"
	"exoshift/state"
)

// partSize is the size of the parts of a stream; 10000 parts are 78 GiB. One part is sent while the next is read, so memory holds
// two.
const partSize = 8 << 20

// Objects are what the buckets hold.
type Objects struct{ *connection }

// EnsureObject uploads content unless the bucket already holds exactly that content.
func (c *Objects) EnsureObject(ctx context.Context, bucket, key string, content []byte) (state.Action, error) {
	name, action := bucket+"/"+key, state.Created
	has, err := c.s3.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
	switch {
	case err == nil && isSameObject(has, content):
		return c.recordAdoption(kindObject, name)
	case err == nil:
		action = state.Updated
	case minio.ToErrorResponse(err).Code != "NoSuchKey":
		return "", c.translate(ctx, "find object "+name, err)
	}
	return action, c.applyChange(ctx, "upload object "+name, action, kindObject, name, func() error {
		return c.putObject(ctx, bucket, key, content)
	})
}

func isSameObject(has minio.ObjectInfo, content []byte) bool {
	sum := md5.Sum(content) //nolint:gosec // see the import
	return has.Size == int64(len(content)) && strings.Trim(has.ETag, `"`) == hex.EncodeToString(sum[:])
}

func (c *Objects) putObject(ctx context.Context, bucket, key string, content []byte) error {
	whole := minio.PutObjectOptions{DisableMultipart: true}
	_, err := c.s3.PutObject(ctx, bucket, key, bytes.NewReader(content), int64(len(content)), whole)
	return err
}

// Upload streams content of unknown size. sent, unless it is nil, is called with the number of bytes that the network has taken, from
// several goroutines; bytes that are sent again count again. If reading content fails, the object is not created, and the kind of the error is kept.
// No parts are left behind, neither by an upload that fails nor by an earlier one that was killed.
func (c *Objects) Upload(ctx context.Context, bucket, key string, content io.Reader, sent func(bytes int)) error {
	name := bucket + "/" + key
	return c.applyChange(ctx, "upload object "+name, state.Created, kindObject, name, func() error {
		if err := c.s3.RemoveIncompleteUpload(ctx, bucket, key); err != nil {
			return err
		}
		parts := minio.PutObjectOptions{PartSize: partSize, NumThreads: 2, ConcurrentStreamParts: true}
		_, err := c.s3.PutObject(withSentCounter(ctx, sent), bucket, key, content, -1, parts) // aborts the upload on failure
		return err
	})
}

// GetObject returns the content of an object, fault.NotFound if there is none, and fault.Invalid if it has more than most
// bytes.
func (c *Objects) GetObject(ctx context.Context, bucket, key string, most int64) ([]byte, error) {
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
func (c *Objects) DeleteObject(ctx context.Context, bucket, key string) (state.Action, error) {
	name := bucket + "/" + key
	return state.Deleted, c.applyChange(ctx, "delete object "+name, state.Deleted, kindObject, name, func() error {
		return ignoreNotFound(c.s3.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{}))
	})
}

// maxValidity is the limit of AWS Signature Version 4.
const maxValidity = 7 * 24 * time.Hour

// SignGetURL returns a URL with which anybody may read the object until it expires: a secret.
func (c *Objects) SignGetURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error) {
	return c.sign(ctx, "sign a link to object "+bucket+"/"+key, valid, func() (*url.URL, error) {
		return c.s3.PresignedGetObject(ctx, bucket, key, valid, nil)
	})
}

// SignPutURL returns a URL with which anybody may write the object until it expires: a secret.
func (c *Objects) SignPutURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error) {
	return c.sign(ctx, "sign a link to write object "+bucket+"/"+key, valid, func() (*url.URL, error) {
		return c.s3.PresignedPutObject(ctx, bucket, key, valid)
	})
}

func (c *Objects) sign(ctx context.Context, op string, valid time.Duration, sign func() (*url.URL, error)) (string, error) {
	if valid < time.Second || valid > maxValidity {
		return "", fault.Newf(fault.Invalid, op, "the validity of a link must be between one second and %s, not %s", maxValidity, valid)
	}
	link, err := sign()
	if err != nil {
		return "", c.translate(ctx, op, err)
	}
	return link.String(), nil
}

// CheckPrivate requests an object without a signature, and fails with fault.Conflict unless that is refused.
func (c *Objects) CheckPrivate(ctx context.Context, bucket, key string) error {
	op := "check that anonymous requests cannot read " + bucket + "/" + key
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+state.ObjectStorageHost(c.zone)+"/"+bucket+"/"+key, nil)
	if err != nil {
		return fault.New(fault.Invalid, op, err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return c.translate(ctx, op, err)
	}
	defer func() { _ = response.Body.Close() }()
	// An unread body would prevent the connection from being reused.
	_, _ = io.CopyN(io.Discard, response.Body, 1<<16)
	switch code := response.StatusCode; {
	case code == http.StatusForbidden, code == http.StatusUnauthorized:
		return nil
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		return fault.Newf(fault.Transient, op, "the object storage answered %d %s", code, http.StatusText(code))
	}
	return fault.Newf(fault.Conflict, op, "it responded %d %s to a request without a signature", response.StatusCode, http.StatusText(response.StatusCode)).
		WithHint("remove the public access to bucket %s: check its policy and its ACL", bucket)
}
