package openshift

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"

	"exoshift/internal/fault"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// explain turns an error of a request into a fault. The end of ctx itself is returned as its cause.
func (a *api) explain(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return fault.New(fault.Transient, op+" at "+a.address.Host, brief{behindBalancers(unreachable(err)), err})
	}
	failure := fault.New(kindOfAnswer(err, int(answer.Status().Code)), op, err)
	if failure.Kind == fault.Denied {
		return failure.WithHint("check that the kubeconfig belongs to the cluster behind %s", a.address.Host)
	}
	return failure
}

func kindOfAnswer(err error, code int) fault.Kind {
	switch {
	case apierrors.IsUnauthorized(err), apierrors.IsForbidden(err):
		return fault.Denied
	case apierrors.IsNotFound(err):
		return fault.NotFound
	case apierrors.IsConflict(err), apierrors.IsTooManyRequests(err), apierrors.IsTimeout(err):
		return fault.Transient
	case code >= http.StatusInternalServerError:
		return fault.Transient
	}
	return fault.Internal
}

// brief is an error that says one short sentence and keeps its cause.
type brief struct {
	sentence string
	cause    error
}

func (b brief) Error() string { return b.sentence }
func (b brief) Unwrap() error { return b.cause }

const cut = "the connection was cut"

// behindBalancers adds what a cut connection to the API means: the load balancers accept every connection, and cut it
// while no server behind them is healthy.
func behindBalancers(sentence string) string {
	if sentence == cut {
		return sentence + ": the load balancers have no API server that is ready"
	}
	return sentence
}

// unreachable says in one short sentence why nobody answered.
func unreachable(err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "the name " + dns.Name + " does not resolve"
	case errors.As(err, &dns):
		return "the name " + dns.Name + " could not be looked up"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route to the host"
	}
	if sentence := distrusted(err); sentence != "" {
		return sentence
	}
	var timeout net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return cut
	}
	return innermost(err).Error()
}

// innermost returns the first cause of an error, whose text is the shortest.
func innermost(err error) error {
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(err) {
		err = cause
	}
	return err
}

// distrusted says why a TLS connection did not come about, or "".
func distrusted(err error) string {
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

// conflicts tells whether the object was changed by somebody else in between.
func conflicts(err error) bool { return apierrors.IsConflict(err) }
