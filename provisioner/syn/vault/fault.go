package vault

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

// toFault drops the library's message, which may contain a URL with the code of a sign-in, and removes the given secrets from the
// server's message, which may repeat them.
func toFault(ctx context.Context, op string, err error, secrets ...string) error {
	var known *fault.Error
	var answer *api.ResponseError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return fault.New(known.Kind, op, known.Err).WithHint("%s", known.Hint)
	case ctx.Err() != nil:
		return fault.New(fault.KindOf(ctx.Err()), op, context.Cause(ctx))
	case fault.IsTooLarge(err):
		return fault.New(fault.Invalid, op, network.DescribeError(err)).
			WithHint("check the address of Vault, and whether a proxy answers instead")
	case errors.As(err, &answer):
		return toResponseFault(op, answer, secrets)
	case errors.As(err, &syntax), strings.Contains(err.Error(), "invalid character"):
		return newAnswerError(op)
	}
	return toConnectFault(op, err)
}

// newAnswerError is for a response that is not in Vault's format.
func newAnswerError(op string) error {
	return fault.New(fault.Invalid, op, errors.New("not a response of Vault")).
		WithHint("check the address of Vault, and whether a proxy answers instead")
}

func toConnectFault(op string, err error) error {
	var certificate *tls.CertificateVerificationError
	var failed *url.Error
	var slow network.TooSlowError
	if errors.As(err, &failed) {
		err = failed.Err // without the URL
	}
	if !errors.As(err, &certificate) {
		err = network.ErrorSummary{Sentence: sanitize(err.Error()), Cause: err}
	}
	switch {
	case errors.As(err, &certificate):
		return fault.New(fault.Internal, op, err).
			WithHint("if a proxy inspects TLS here, add its certificate authority to this machine's trust store")
	case failed != nil, errors.As(err, &slow), errors.Is(err, context.DeadlineExceeded), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Transient, op, err).WithHint("check that this machine reaches Vault, then run again")
	}
	return fault.New(fault.Internal, op, errors.New(sanitize(err.Error())))
}

func toResponseFault(op string, answer *api.ResponseError, secrets []string) error {
	words := redactValues(strings.Join(answer.Errors, "; "), secrets)
	if words == "" {
		words = http.StatusText(answer.StatusCode)
	}
	cause := fmt.Errorf("Vault responds %d: %s", answer.StatusCode, words) //nolint:staticcheck // a name begins it
	kind, hint := mapStatus(answer.StatusCode, words)
	return fault.New(kind, op, cause).WithHint("%s", hint)
}

// mapStatus maps the statuses of Vault's API: replicas also respond with those of its health endpoint.
func mapStatus(status int, words string) (kind fault.Kind, hint string) {
	switch {
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		return fault.Denied, "sign in again, or ask for a policy that allows this"
	case status == http.StatusNotFound && strings.Contains(words, "no handler for route"):
		return fault.NotFound, "this Vault has no such mount: check its address, its namespace and the mount"
	case status == http.StatusNotFound:
		return fault.NotFound, ""
	case status == http.StatusTooManyRequests:
		return fault.Transient, "Vault limits requests, or this is a standby node: run again later"
	case status == 472, status == 473:
		return fault.Transient, "this Vault is a standby replica: ask its operator for the active one"
	case status == http.StatusServiceUnavailable && strings.Contains(words, "sealed"):
		return fault.Transient, "Vault is sealed: ask its operator to unseal it, then run again"
	case status >= 500, status == http.StatusPreconditionFailed:
		return fault.Transient, "Vault is down: run again later"
	}
	return fault.Invalid, ""
}

func isVersionMismatch(err error) bool {
	var answer *api.ResponseError
	return errors.As(err, &answer) && answer.StatusCode == http.StatusBadRequest &&
		strings.Contains(strings.Join(answer.Errors, " "), "check-and-set parameter did not match")
}

func isForbidden(err error) bool {
	var answer *api.ResponseError
	return errors.As(err, &answer) && (answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized)
}
