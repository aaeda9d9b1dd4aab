package signin

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"
)

const maxMessage = 300

func toFault(ctx context.Context, op string, err error, secrets ...string) error {
	var refused *oauth2.RetrieveError
	var certificate *tls.CertificateVerificationError
	var about *url.Error
	switch {
	case ctx.Err() != nil:
		return fault.New(fault.KindOf(ctx.Err()), op, context.Cause(ctx))
	case fault.IsTooLarge(err):
		return fault.New(fault.Invalid, op, network.DescribeError(err)).
			WithHint("check that no sign-in page of your network or proxy answers instead, and run again")
	case errors.As(err, &refused):
		return toRefusalFault(op, refused, secrets)
	case errors.As(err, &certificate):
		return fault.New(fault.Internal, op, certificate).
			WithHint("if a proxy inspects TLS here, add its certificate authority to this machine's trust store")
	case errors.As(err, &about):
		err = about.Err
	}
	return fault.New(fault.Transient, op, errors.New("no response: "+redact(err.Error(), secrets))).
		WithHint("check that this machine reaches the single sign-on, and run again")
}

// toRefusalFault parses an error response of a token endpoint (RFC 6749, 5.2); its body may repeat the request.
func toRefusalFault(op string, refused *oauth2.RetrieveError, secrets []string) error {
	status := http.StatusInternalServerError
	if refused.Response != nil {
		status = refused.Response.StatusCode
	}
	words := http.StatusText(status)
	if refused.ErrorCode != "" {
		words = refused.ErrorCode + formatDetail(refused.ErrorDescription)
	}
	kind := fault.Denied
	if status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		kind = fault.Transient
	}
	return fault.Newf(kind, op, "the single sign-on responds %s (%d)", redact(words, secrets), status).
		WithHint("sign in again; if the problem persists, contact the operator of the single sign-on")
}

// redact removes secrets and control characters from foreign text.
func redact(words string, secrets []string) string {
	words = text.Sanitize(words, text.WithLimit(10*maxMessage)) // first, because it may join the parts of a secret
	for _, secret := range secrets {
		if secret != "" {
			words = strings.ReplaceAll(words, secret, "(secret)")
		}
	}
	return sanitize(words)
}

func sanitize(words string) string { return text.Sanitize(words, text.WithLimit(maxMessage)) }
