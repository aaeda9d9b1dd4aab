package exoscale

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"regexp"

	"github.com/exoscale/egoscale/v2/api"

	"exoshift/internal/fault"
)

const zoneHint = "zones are named like ch-gva-2; `exo zone list` shows them"

func (c *Client) translate(ctx context.Context, op string, err error) error {
	var known *fault.Error
	var failed *requestError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case ctx.Err() != nil:
		return fault.New(fault.KindOf(ctx.Err()), op, context.Cause(ctx))
	case errors.As(err, &failed) && failed.expired, errors.Is(err, context.DeadlineExceeded) && failed == nil:
		return fault.Newf(fault.Timeout, op, "the operation has not ended after %s", operationLimit).
			WithHint("it goes on in zone %s; run again to wait for it", c.zone)
	case failed != nil:
		kind := failed.classify()
		return fault.New(kind, op, failed).WithHint("%s", c.findHint(kind, failed))
	case errors.Is(err, api.ErrNotFound):
		return fault.New(fault.NotFound, op, err)
	}
	return fault.New(fault.Internal, op, err)
}

// classify has wide patterns: of the messages only that of a locked organization is recorded from the live API; those for a quota
// or an object in use are not known.
func (f *requestError) classify() fault.Kind {
	switch {
	case f.err != nil:
		return f.classifyTransport()
	case f.status == http.StatusTooManyRequests:
		return fault.Transient
	case matchPattern(f.message, `quota|capacity|limit.{0,20}(reached|exceeded)|exceed.{0,30}limit`):
		return fault.Quota
	case f.operation != "":
		return f.classifyOperation()
	}
	return f.classifyStatus()
}

func (f *requestError) classifyTransport() fault.Kind {
	var certificate *tls.CertificateVerificationError
	if errors.As(f.err, &certificate) || fault.IsTooLarge(f.err) {
		return fault.Internal
	}
	return fault.Transient
}

func (f *requestError) classifyOperation() fault.Kind {
	switch f.reason {
	case "incorrect", "unsupported":
		return fault.Invalid
	case "forbidden":
		return f.classifyForbidden()
	case "conflict":
		return fault.Conflict
	case "not-found":
		return fault.NotFound
	case "busy", "unavailable", "interrupted":
		return fault.Transient
	}
	if f.operation == "timeout" {
		return fault.Transient
	}
	return fault.Internal
}

func (f *requestError) classifyStatus() fault.Kind {
	switch {
	case f.status >= http.StatusInternalServerError:
		return fault.Transient
	case f.status < http.StatusBadRequest:
		return fault.Internal
	}
	switch f.status {
	case http.StatusUnauthorized:
		return fault.Denied
	case http.StatusForbidden:
		return f.classifyForbidden()
	case http.StatusNotFound:
		return fault.NotFound
	case http.StatusConflict:
		if matchPattern(f.message, `is invalid`) { // recorded: 409 "Public key is invalid"
			return fault.Invalid
		}
		return fault.Conflict
	}
	return fault.Invalid
}

// classifyForbidden distinguishes a locked organization from a missing permission: both are answered with 403.
func (f *requestError) classifyForbidden() fault.Kind {
	if matchPattern(f.message, `locked|in use|protected`) {
		return fault.Conflict
	}
	return fault.Denied
}

func matchPattern(text, pattern string) bool {
	return regexp.MustCompile(`(?i)` + pattern).MatchString(text)
}
