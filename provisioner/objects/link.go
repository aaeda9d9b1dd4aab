package objects

import (
	"context"
	"net/url"
	"time"

	"exoshift/internal/fault"
)

// maxValidity is the limit of AWS Signature Version 4.
const maxValidity = 7 * 24 * time.Hour

// SignGetURL returns a URL with which anybody may read the object until it expires: a secret.
func (c *Client) SignGetURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error) {
	return c.sign(ctx, "sign a link to object "+bucket+"/"+key, valid, func() (*url.URL, error) {
		return c.s3.PresignedGetObject(ctx, bucket, key, valid, nil)
	})
}

// SignPutURL returns a URL with which anybody may write the object until it expires: a secret.
func (c *Client) SignPutURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error) {
	return c.sign(ctx, "sign a link to write object "+bucket+"/"+key, valid, func() (*url.URL, error) {
		return c.s3.PresignedPutObject(ctx, bucket, key, valid)
	})
}

func (c *Client) sign(ctx context.Context, op string, valid time.Duration, sign func() (*url.URL, error)) (string, error) {
	if valid < time.Second || valid > maxValidity {
		return "", fault.Newf(fault.Invalid, op, "a link can be valid for a second to %s, not %s", maxValidity, valid)
	}
	link, err := sign()
	if err != nil {
		return "", c.translate(ctx, op, err)
	}
	return link.String(), nil
}
