// Package kubeapi is the client of a cluster's API: it connects by a kubeconfig, gets, lists and writes objects in bounded
// responses, and turns errors into faults. client-go's own clients are used below provisioner/openshift only.
package kubeapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Client is the API of one cluster. Errors of an API that does not answer are fault.Transient.
type Client struct {
	Network network.Network
	Address *url.URL
	Trust   *tls.Config // of its server, with the client's certificate
	http    *http.Client
	objects dynamic.Interface
	counter *requestCounter
	answers sync.Pool // of *bytes.Buffer
}

func newClient(net network.Network, kubeconfig []byte, counter *requestCounter) (*Client, error) {
	const op = "load the cluster's kubeconfig"
	config, err := ParseKubeconfig(kubeconfig)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	address, err := url.Parse(config.Host)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	if err := checkTrust(config, address); err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	trust, err := buildTLSConfig(net, config)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	made, err := newTrustedClient(net, config, address, trust, counter)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	return made, nil
}

func newTrustedClient(net network.Network, config *rest.Config, address *url.URL, trust *tls.Config, counter *requestCounter) (made *Client, err error) {
	made = &Client{Network: net, Address: address, Trust: trust, http: newHTTPClient(net, trust), counter: counter}
	made.objects, err = dynamic.NewForConfigAndClient(newRESTConfig(config), made.http)
	return made, err
}

// ConnectToken returns a client of another user of an API: it sends a bearer token instead of a certificate, and trusts roots only.
func (c *Connector) ConnectToken(address *url.URL, roots *x509.CertPool, token string) (*Client, error) {
	trust := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	made := &Client{Network: c.Network, Address: address, Trust: trust, http: newHTTPClient(c.Network, trust), counter: &c.counter}
	made.http.Transport = bearer{made.http.Transport, func() (string, error) { return token, nil }}
	var err error
	made.objects, err = dynamic.NewForConfigAndClient(newRESTConfig(&rest.Config{Host: address.String()}), made.http)
	return made, err
}

// Close closes idle connections; the Client stays usable.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// checkTrust refuses a kubeconfig with which any server would be trusted.
func checkTrust(config *rest.Config, address *url.URL) error {
	switch {
	case address.Scheme != "https":
		return fmt.Errorf("the server %q is not reached by https", config.Host)
	case config.Insecure:
		return errors.New("it disables the verification of the server")
	case len(config.CAData) == 0:
		return errors.New("it embeds no certificate authority")
	case len(config.CertData) == 0 || len(config.KeyData) == 0:
		return errNoCertificate
	}
	return nil
}

var errNoCertificate = errors.New("it embeds no client certificate")

// buildTLSConfig trusts public CAs besides those of the kubeconfig: a catalog may configure the API with a public certificate,
// which openshift-install's kubeconfig does not cover.
func buildTLSConfig(net network.Network, config *rest.Config) (*tls.Config, error) {
	trust, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	roots, err := LoadPublicRoots(net)
	if err != nil {
		return nil, err
	}
	if !roots.AppendCertsFromPEM(config.CAData) {
		return nil, errors.New("its certificate authority is not a certificate")
	}
	trust.RootCAs = roots
	// Probes do a handshake every few seconds; resuming a session costs both sides a fraction.
	trust.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	return trust, nil
}

// newHTTPClient follows no redirects, which would expose the credentials to another host. It creates its own transport: client-go
// caches its transports for the lifetime of the process, uses HTTP/2, whose connections outlive the API server behind a load
// balancer, and takes a proxy from the environment.
func newHTTPClient(net network.Network, trust *tls.Config) *http.Client {
	transport := net.NewTransport()
	transport.TLSClientConfig = trust.Clone()
	limits := network.Limits{Bytes: maxAnswer}
	return &http.Client{Transport: limits.Wrap(transport), Timeout: requestTimeout, CheckRedirect: network.KeepRedirect}
}

// LoadPublicRoots returns the CAs that net trusts, or else those of this machine.
func LoadPublicRoots(net network.Network) (*x509.CertPool, error) {
	if net.Roots != nil {
		return net.Roots.Clone(), nil
	}
	return x509.SystemCertPool()
}

func newRESTConfig(config *rest.Config) *rest.Config {
	limited := rest.CopyConfig(config)
	limited.QPS = -1 // no limit: a few objects are polled every few seconds
	limited.WarningHandler = rest.NoWarnings{}
	return limited
}

// Domain returns the domain of the cluster, "" if the API's host name does not contain it.
func (c *Client) Domain() string {
	domain, found := strings.CutPrefix(c.Address.Hostname(), "api.")
	if !found {
		return ""
	}
	return domain
}

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
		return fault.New(fault.Transient, op+" at "+c.Address.Host, DescribeConnectError(err))
	}
	summary := network.ErrorSummary{Sentence: text.Sanitize(err.Error()), Cause: err}
	failure := fault.New(toFaultKind(err, int(answer.Status().Code)), op, summary)
	if failure.Kind == fault.Denied {
		return failure.WithHint("check that the kubeconfig belongs to the cluster behind %s", c.Address.Host)
	}
	return failure
}
