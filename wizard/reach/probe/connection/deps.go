package connection

import (
	"crypto/x509"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http/httpproxy"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// Deps is what attempts depend on.
type Deps struct {
	Network network.Network // its roots are those that probes trust
	Task    reach.Task
	Limits  Limits
	Now     func() time.Time // wall clock of this machine, for certificates and comparison with servers' clocks
	Proxy   func(*url.URL) (*url.URL, error)
	// Thorough: a TLS handshake without an answer is tried again, with small packets.
	Thorough bool
	// nodeRoots are the authorities that nodes trust.
	nodeRoots *x509.CertPool
}

// Limits are how long each layer may take. They are measured on the wall clock.
type Limits struct {
	DNS, TCP, TLS, HTTP time.Duration
	Slow                time.Duration // a successful probe that takes longer is reported as slow
}

// DefaultLimits returns the limits of an interactive run.
func DefaultLimits() Limits {
	return Limits{DNS: 5 * time.Second, TCP: 5 * time.Second, TLS: 5 * time.Second, HTTP: 10 * time.Second, Slow: 3 * time.Second}
}

// NewDeps fails if the task's authorities or proxies cannot be read.
func NewDeps(n network.Network, task reach.Task, limits Limits) (*Deps, error) {
	d := &Deps{Network: n, Task: task, Limits: limits, Now: time.Now}
	var err error
	if d.Network.Roots, err = buildRoots(n.Roots, task.Authorities); err != nil {
		return nil, err
	}
	if d.nodeRoots, err = buildNodeRoots(n.PublicRoots, task); err != nil {
		return nil, err
	}
	d.Proxy, err = newProxyFunc(n, task.Proxy)
	return d, err
}

func buildRoots(trusted *x509.CertPool, authorities string) (*x509.CertPool, error) {
	const op = "read the certificate authorities for the checks"
	if authorities == "" {
		return trusted, nil
	}
	var pool *x509.CertPool
	if trusted != nil {
		pool = trusted.Clone()
	} else {
		system, err := x509.SystemCertPool()
		if err != nil {
			return nil, fault.New(fault.Internal, op, err).WithHint("check the certificates of this machine")
		}
		pool = system
	}
	if !pool.AppendCertsFromPEM([]byte(authorities)) {
		return nil, fault.Newf(fault.Invalid, op, "no certificate found").WithHint("provide the certificates as PEM")
	}
	return pool, nil
}

func newProxyFunc(n network.Network, chosen *reach.Proxy) (func(*url.URL) (*url.URL, error), error) {
	if chosen == nil {
		return newNetworkProxyFunc(n), nil
	}
	for _, text := range []string{chosen.HTTP, chosen.HTTPS} {
		if parsed, err := url.Parse(text); text != "" && (err != nil || parsed.Host == "") {
			return nil, fault.Newf(fault.Invalid, "read the proxies for the checks", "a proxy is not of the form http://host:port").
				WithHint("correct the proxies in the answers")
		}
	}
	config := httpproxy.Config{HTTPProxy: chosen.HTTP, HTTPSProxy: chosen.HTTPS, NoProxy: chosen.NoProxy}
	return config.ProxyFunc(), nil
}

func newNetworkProxyFunc(n network.Network) func(*url.URL) (*url.URL, error) {
	return func(to *url.URL) (*url.URL, error) {
		if n.Proxy == nil {
			return nil, nil
		}
		return n.Proxy(&http.Request{Method: http.MethodGet, URL: to, Host: to.Host})
	}
}
