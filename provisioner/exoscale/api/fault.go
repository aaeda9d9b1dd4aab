package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"github.com/exoscale/egoscale/v2/api"

	"exoshift/internal/fault"
)

// ZoneHint says how zones are named.
const ZoneHint = "zones are named like ch-gva-2; `exo zone list` shows them"

// Patterns of the API's messages.
var (
	quotaPattern     = regexp.MustCompile(`(?i)quota|capacity|limit.{0,20}(reached|exceeded)|exceed.{0,30}limit`)
	invalidPattern   = regexp.MustCompile(`(?i)is invalid`)
	forbiddenPattern = regexp.MustCompile(`(?i)locked|in use|protected`)
)

// translate gives every error a kind and a hint. An error that has them already is returned as it is.
func translate(ctx context.Context, zone, op string, err error) error {
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
			WithHint("it continues in zone %s; run again to wait for it", zone)
	case failed != nil:
		kind := failed.classify()
		return fault.New(kind, op, failed).WithHint("%s", failed.findHint(kind, zone))
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
	case quotaPattern.MatchString(f.message):
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
	case http.StatusPaymentRequired:
		return fault.Quota
	case http.StatusForbidden:
		return f.classifyForbidden()
	case http.StatusNotFound:
		return fault.NotFound
	case http.StatusConflict:
		if invalidPattern.MatchString(f.message) { // recorded: 409 "Public key is invalid"
			return fault.Invalid
		}
		return fault.Conflict
	}
	return fault.Invalid
}

// classifyForbidden distinguishes a locked organization from a missing permission: both are answered with 403.
func (f *requestError) classifyForbidden() fault.Kind {
	if forbiddenPattern.MatchString(f.message) {
		return fault.Conflict
	}
	return fault.Denied
}

// IsBusy reports whether an operation failed because the object is busy.
func IsBusy(err error) bool {
	var failed *requestError
	return errors.As(err, &failed) && failed.reason == "busy"
}

// HasMessage reports whether the API's message matches a pattern.
func HasMessage(err error, pattern *regexp.Regexp) bool {
	var failed *requestError
	return errors.As(err, &failed) && pattern.MatchString(failed.message)
}

func (f *requestError) findHint(kind fault.Kind, zone string) string {
	switch kind {
	case fault.Denied:
		return f.findDeniedHint(zone)
	case fault.Quota:
		return "request a higher limit in the Exoscale portal under Organization, Quotas, or choose fewer or other machines"
	case fault.NotFound:
		return fmt.Sprintf("most objects belong to one zone: check that it exists in %s", zone)
	case fault.Conflict:
		return "check the object in the Exoscale portal, remove what uses it or its name, and run again"
	case fault.Transient:
		return f.findTransientHint(zone)
	case fault.Internal:
		return f.findInternalHint(zone)
	}
	return "correct the rejected value in the answers file; if nothing there is wrong, report this"
}

func (f *requestError) findDeniedHint(zone string) string {
	if f.status == http.StatusForbidden || f.operation != "" {
		return fmt.Sprintf("check that the API key is valid and that its IAM role allows this in zone %s", zone)
	}
	return "check that API key and secret belong together and were not revoked, and that this machine's clock is right"
}

func (f *requestError) findTransientHint(zone string) string {
	if f.err != nil {
		return fmt.Sprintf("check that this machine reaches https://api-%s.exoscale.com, then run again; existing objects are found", zone)
	}
	return "run again later; existing objects are found"
}

func (f *requestError) findInternalHint(zone string) string {
	var certificate *tls.CertificateVerificationError
	if errors.As(f.err, &certificate) {
		return "if a proxy inspects TLS here, add its certificate authority to this machine's trust store"
	}
	if f.operation != "" {
		return fmt.Sprintf("check the event log of zone %s in the Exoscale portal; run again, and contact Exoscale support if it fails again", zone)
	}
	return fmt.Sprintf("check that https://api-%s.exoscale.com is reachable directly, or through a transparent proxy", zone)
}
