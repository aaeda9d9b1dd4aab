package objects

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"
	"exoshift/state"
)

// maxMessage is in characters.
const maxMessage = 600

func (c *connection) translate(ctx context.Context, op string, err error) error {
	var known *fault.Error
	var refusal minio.ErrorResponse
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known): // of the reader that is being uploaded
		return fmt.Errorf("%s: %w", op, err)
	case ctx.Err() != nil:
		return fault.New(fault.KindOf(ctx.Err()), op, context.Cause(ctx))
	case errors.As(err, &refusal):
		kind := classifyError(refusal)
		return fault.New(kind, op, describe(refusal)).WithHint("%s", c.findHint(kind, refusal.Code))
	}
	return c.newTransportError(op, err)
}

// describe adds the code, which minio-go's message omits.
func describe(refusal minio.ErrorResponse) error {
	words := fmt.Sprintf("%d %s: %s", refusal.StatusCode, refusal.Code, refusal.Error())
	return network.ErrorSummary{Sentence: text.Sanitize(words, text.WithLimit(maxMessage)), Cause: refusal}
}

func (c *connection) newTransportError(op string, err error) error {
	var certificate *tls.CertificateVerificationError
	var failed net.Error // every error of http.Client is one
	summary := network.ErrorSummary{Sentence: text.Sanitize(err.Error(), text.WithLimit(maxMessage)), Cause: err}
	switch {
	case fault.IsTooLarge(err):
		return fault.New(fault.Invalid, op, summary).
			WithHint("check for a proxy between this machine and https://%s", state.ObjectStorageHost(c.zone))
	case errors.As(err, &certificate):
		return fault.New(fault.Internal, op, summary).
			WithHint("if a proxy inspects TLS here, add its certificate authority to this machine's trust store")
	case !errors.As(err, &failed) && !errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Internal, op, summary)
	}
	return fault.New(fault.Transient, op, summary).
		WithHint("check that this machine reaches https://%s, then run again", state.ObjectStorageHost(c.zone))
}

func classifyError(refusal minio.ErrorResponse) fault.Kind {
	switch refusal.Code {
	case "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "RequestTimeTooSkewed", "AccountProblem":
		return fault.Denied
	case "NoSuchBucket", "NoSuchKey", "NoSuchUpload", "NoSuchVersion", "NotFound":
		return fault.NotFound
	case "BucketAlreadyExists", "BucketAlreadyOwnedByYou", "BucketNotEmpty", "OperationAborted":
		return fault.Conflict
	case "TooManyBuckets":
		return fault.Quota
	case "SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout":
		return fault.Transient
	}
	if strings.Contains(strings.ToLower(refusal.Code), "quota") {
		return fault.Quota
	}
	return classifyStatus(refusal.StatusCode)
}

func classifyStatus(status int) fault.Kind {
	switch {
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		return fault.Transient
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.Denied
	case status == http.StatusNotFound:
		return fault.NotFound
	case status == http.StatusConflict:
		return fault.Conflict
	}
	return fault.Invalid
}

func (c *connection) findHint(kind fault.Kind, code string) string {
	switch {
	case code == "RequestTimeTooSkewed":
		return "set this machine's clock"
	case code == "BucketAlreadyExists":
		return "bucket names are global across all customers: set objectStorage.bucketPrefix to a unique prefix"
	case kind == fault.Denied:
		return fmt.Sprintf("check the API key, its secret and this machine's clock, and that the key's IAM role allows object storage (sos) in %s; "+
			"the bucket may also belong to someone else", c.zone)
	case kind == fault.Quota:
		return "request a higher limit in the Exoscale portal under Organization, Quotas, or delete buckets"
	case kind == fault.NotFound:
		return fmt.Sprintf("buckets belong to one zone: check that it exists in %s", c.zone)
	case kind == fault.Transient:
		return "run again later; existing objects are found"
	}
	return ""
}
