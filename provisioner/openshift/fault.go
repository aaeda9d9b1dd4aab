package openshift

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// ToFault returns the end of ctx itself as its cause.
func (c *Client) ToFault(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var answer apierrors.APIStatus
	if fault.IsTooLarge(err) {
		return fault.New(fault.Internal, op+" at "+c.Address.Host, network.DescribeError(err))
	}
	if !errors.As(err, &answer) {
		return fault.New(fault.Transient, op+" at "+c.Address.Host, describeConnectError(err))
	}
	told := network.ErrorSummary{Sentence: text.Sanitize(err.Error()), Cause: err}
	failure := fault.New(toFaultKind(err, int(answer.Status().Code)), op, told)
	if failure.Kind == fault.Denied {
		return failure.WithHint("check that the kubeconfig belongs to the cluster behind %s", c.Address.Host)
	}
	return failure
}

func toFaultKind(err error, code int) fault.Kind {
	switch {
	case apierrors.IsUnauthorized(err), apierrors.IsForbidden(err):
		return fault.Denied
	case apierrors.IsNotFound(err):
		return fault.NotFound
	case apierrors.IsConflict(err), apierrors.IsTooManyRequests(err), apierrors.IsTimeout(err):
		return fault.Transient
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return fault.Transient // the rest of a long list: the next poll begins anew
	case code >= http.StatusInternalServerError:
		return fault.Transient
	}
	return fault.Internal
}

func describeConnectError(err error) network.ErrorSummary {
	if sentence := describeTLSError(err); sentence != "" {
		return network.ErrorSummary{Sentence: sentence, Cause: err}
	}
	found := network.DescribeError(err)
	if found.Sentence == network.Cut {
		// The load balancers accept every connection, and close it while no server behind them is healthy.
		found.Sentence += ": the load balancers have no API server that is ready"
	}
	return found
}

func describeTLSError(err error) string {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		header    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &authority):
		return "TLS: the certificate was issued for another cluster or an earlier attempt"
	case errors.As(err, &name):
		return "TLS: the certificate is for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "TLS: the certificate has expired or is not valid yet; check the clocks"
	case errors.As(err, &invalid):
		return "TLS: the certificate is not valid"
	case errors.As(err, &header):
		return "TLS: something else than an API server answered"
	case errors.As(err, &alert):
		return "TLS: the server refused the connection (" + alert.Error() + ")"
	}
	return ""
}

func isConflict(err error) bool { return apierrors.IsConflict(err) }
