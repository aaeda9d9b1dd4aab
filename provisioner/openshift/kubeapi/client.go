// Package kubeapi is the client of a cluster's API: it connects by a kubeconfig, gets, lists and writes objects in bounded
// responses, and turns errors into faults. client-go's own clients would make the program larger by all that they can do.
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
)

// Client is the API of one cluster. Errors of an API that does not answer are fault.Transient.
type Client struct {
	Network network.Network
	Address *url.URL
	Trust   *tls.Config // of its server, with the client's certificate
	http    *http.Client
	counter *requestCounter
	answers sync.Pool // of *bytes.Buffer
}

func newClient(net network.Network, kubeconfig []byte, counter *requestCounter) (*Client, error) {
	const op = "load the cluster's kubeconfig"
	config, err := ParseKubeconfig(kubeconfig)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	address, err := url.Parse(config.Server)
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
	return newTrustedClient(net, address, trust, counter), nil
}

func newTrustedClient(net network.Network, address *url.URL, trust *tls.Config, counter *requestCounter) *Client {
	return &Client{Network: net, Address: address, Trust: trust, http: newHTTPClient(net, trust), counter: counter}
}

// ConnectToken returns a client of another user of an API: it sends a bearer token instead of a certificate, and trusts roots only.
func (c *Connector) ConnectToken(address *url.URL, roots *x509.CertPool, token string) *Client {
	made := newTrustedClient(c.Network, address, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, &c.counter)
	made.http.Transport = bearer{made.http.Transport, func() (string, error) { return token, nil }}
	return made
}

// Close closes idle connections; the Client stays usable.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// checkTrust refuses a kubeconfig with which any server would be trusted.
func checkTrust(config Kubeconfig, address *url.URL) error {
	switch {
	case address.Scheme != "https":
		return fmt.Errorf("the server %q is not reached by https", config.Server)
	case config.Insecure:
		return errors.New("it disables the verification of the server")
	case len(config.Authority) == 0:
		return errors.New("it embeds no certificate authority")
	case len(config.Certificate) == 0 || len(config.Key) == 0:
		return errNoCertificate
	}
	return nil
}

var errNoCertificate = errors.New("it embeds no client certificate")

// buildTLSConfig trusts public CAs besides those of the kubeconfig: a catalog may configure the API with a public certificate,
// which openshift-install's kubeconfig does not cover.
func buildTLSConfig(net network.Network, config Kubeconfig) (*tls.Config, error) {
	trust, err := config.newTLSConfig()
	if err != nil {
		return nil, err
	}
	roots, err := LoadPublicRoots(net)
	if err != nil {
		return nil, err
	}
	if !roots.AppendCertsFromPEM(config.Authority) {
		return nil, errors.New("its certificate authority is not a certificate")
	}
	trust.RootCAs = roots
	// Probes do a handshake every few seconds; resuming a session costs both sides a fraction.
	trust.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	return trust, nil
}

// newHTTPClient follows no redirects, which would expose the credentials to another host. Its transport does not use HTTP/2, whose
// connections outlive the API server behind a load balancer, and takes no proxy from the environment.
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
