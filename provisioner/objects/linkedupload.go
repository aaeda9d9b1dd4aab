package objects

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/minio/minio-go/v7"

	"exoshift/internal/fault"
	"exoshift/state"
)

// Part is a part of an object that was uploaded by a link.
type Part struct {
	ETag string `json:"etag"` // hex MD5 of the part
	Size int64  `json:"size"` // bytes
}

// PartLinks are URLs with which anybody may write the parts of one object until they expire: secrets. The first one is that of the
// first part; parts before the last one have at least 5 MiB, and links may be left over.
type PartLinks []string

// abortLimit bounds the end of an upload that failed, on the wall clock.
const abortLimit = time.Minute

// UploadByLinks has an object uploaded elsewhere: upload is called with links to most parts, and returns the parts that were uploaded
// by them, in order. If it fails, the object is not created and the kind of the error is kept. No parts are left behind, neither by an
// upload that fails nor by an earlier one that was killed.
func (c *Objects) UploadByLinks(ctx context.Context, bucket, key string, most int, valid time.Duration,
	upload func(ctx context.Context, links PartLinks) ([]Part, error),
) error {
	name := bucket + "/" + key
	return c.applyChange(ctx, "upload object "+name, state.Created, kindObject, name, func() error {
		if err := c.s3.RemoveIncompleteUpload(ctx, bucket, key); err != nil {
			return err
		}
		core := minio.Core{Client: c.s3}
		id, err := core.NewMultipartUpload(ctx, bucket, key, minio.PutObjectOptions{})
		if err != nil {
			return err
		}
		if err := c.uploadParts(ctx, core, linkedUpload{bucket, key, id}, most, valid, upload); err != nil {
			late, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortLimit)
			defer cancel()
			_ = core.AbortMultipartUpload(late, bucket, key, id) // the next upload, or the bucket's deletion, removes it otherwise
			return err
		}
		return nil
	})
}

type linkedUpload struct{ bucket, key, id string }

func (c *Objects) uploadParts(ctx context.Context, core minio.Core, to linkedUpload, most int, valid time.Duration,
	upload func(ctx context.Context, links PartLinks) ([]Part, error),
) error {
	links, err := c.signPartLinks(ctx, to, most, valid)
	if err != nil {
		return err
	}
	parts, err := upload(ctx, links)
	if err != nil {
		return err
	}
	var size int64
	complete := make([]minio.CompletePart, len(parts))
	for i, part := range parts {
		complete[i] = minio.CompletePart{PartNumber: i + 1, ETag: part.ETag}
		size += part.Size
	}
	// The object storage refuses parts with other checksums than these.
	if _, err := core.CompleteMultipartUpload(ctx, to.bucket, to.key, to.id, complete, minio.PutObjectOptions{}); err != nil {
		return err
	}
	made, err := c.s3.StatObject(ctx, to.bucket, to.key, minio.StatObjectOptions{})
	if err != nil {
		return err
	}
	if made.Size != size {
		return fault.Newf(fault.Conflict, "check object "+to.bucket+"/"+to.key, "it has %d bytes, and its parts have %d", made.Size, size).
			WithHint("run again")
	}
	return nil
}

func (c *Objects) signPartLinks(ctx context.Context, to linkedUpload, most int, valid time.Duration) (PartLinks, error) {
	links := make(PartLinks, most)
	for i := range links {
		number := strconv.Itoa(i + 1)
		op := fmt.Sprintf("sign a link to write part %s of object %s/%s", number, to.bucket, to.key)
		link, err := c.sign(ctx, op, valid, func() (*url.URL, error) {
			return c.s3.Presign(ctx, http.MethodPut, to.bucket, to.key, valid, url.Values{"uploadId": {to.id}, "partNumber": {number}})
		})
		if err != nil {
			return nil, err
		}
		links[i] = link
	}
	return links, nil
}
