package kubeapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"exoshift/internal/fault"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestDescribeConnectError_ShortSentence(t *testing.T) {
	for want, cause := range map[string]error{
		"the name api.example.net does not resolve":      &net.DNSError{Name: "api.example.net", IsNotFound: true},
		"the name api.example.net could not be resolved": &net.DNSError{Name: "api.example.net", IsTimeout: true},
		"connection refused":                             &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		"no route to the host":                           os.NewSyscallError("connect", syscall.EHOSTUNREACH),
		"no answer in time":                              context.DeadlineExceeded,
		"the connection was closed: the load balancers have no API server that is ready": io.ErrUnexpectedEOF,
		"TLS: the certificate is for another name":                                       x509.HostnameError{Certificate: &x509.Certificate{}},
		"TLS: the certificate is not valid":                                              x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.NotAuthorizedToSign},
		"TLS: the server that answered is not an API server":                             tls.RecordHeaderError{},
		"TLS: the server refused the connection (tls: bad certificate)":                  tls.AlertError(42),
		"TLS: the certificate was issued for another cluster or an earlier attempt":      x509.UnknownAuthorityError{},
		"TLS: the certificate has expired or is not valid yet; check the clocks": x509.CertificateInvalidError{
			Cert: &x509.Certificate{}, Reason: x509.Expired,
		},
		"something new": errors.New("something new"),
	} {
		wrapped := fmt.Errorf("request: %w", &url.Error{Op: "Get", URL: "https://api", Err: cause})
		if got := DescribeConnectError(wrapped).Sentence; got != want {
			t.Errorf("%v: %q, want %q", cause, got, want)
		}
	}
}

func TestWrapError_KindOfAnswer(t *testing.T) {
	node := schema.GroupResource{Resource: "nodes"}
	a := &Client{Address: &url.URL{Host: "api.example.net:6443"}}
	for _, test := range []struct {
		err  error
		kind fault.Kind
	}{
		{apierrors.NewUnauthorized("who"), fault.Denied},
		{apierrors.NewForbidden(node, "a", nil), fault.Denied},
		{apierrors.NewNotFound(node, "a"), fault.NotFound},
		{apierrors.NewConflict(node, "a", nil), fault.Transient},
		{apierrors.NewTooManyRequests("later", 1), fault.Transient},
		{apierrors.NewServiceUnavailable("starting"), fault.Transient},
		{apierrors.NewInternalError(errors.New("etcd")), fault.Transient},
		{apierrors.NewBadRequest("what"), fault.Internal},
		{io.EOF, fault.Transient},
	} {
		if got := a.ToFault(t.Context(), "ask", test.err); !fault.Is(got, test.kind) || !errors.Is(got, test.err) {
			t.Errorf("%v became %v of kind %v", test.err, got, fault.KindOf(got))
		}
	}
}
