// Package network is the one way out of the process: resolver, dialer, trust roots, proxy, and the clock that waits
// are measured by. Host is the machine's own network; a simulated zone offers another. Nothing else differs between
// an installation and its rehearsal.
package network

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// Network is a world to talk to.
type Network struct {
	// Dial connects to "host:port"; it resolves names itself. network is "tcp" or "udp".
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Lookup returns the addresses of a name, IPv4 first.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// Roots are the certificate authorities of the public internet; nil means the host's.
	Roots *x509.CertPool
	// Proxy chooses a proxy for a request, like http.Transport.Proxy; nil means none.
	Proxy func(*http.Request) (*url.URL, error)
	// Clock is the time that waits are measured by.
	Clock Clock
}

// Host returns the network of the machine the program runs on, with its proxy environment.
func Host() Network {
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	return Network{
		Dial:   dialer.DialContext,
		Lookup: lookup(net.DefaultResolver),
		Proxy:  http.ProxyFromEnvironment,
	}
}

func lookup(resolver *net.Resolver) func(context.Context, string) ([]netip.Addr, error) {
	return func(ctx context.Context, name string) ([]netip.Addr, error) {
		return resolver.LookupNetIP(ctx, "ip4", name)
	}
}

// Transport returns a new HTTP transport on this network that trusts the public internet.
func (n Network) Transport() *http.Transport {
	return &http.Transport{
		DialContext:           n.Dial,
		Proxy:                 n.Proxy,
		TLSClientConfig:       n.TLS(),
		ForceAttemptHTTP2:     false,
		TLSHandshakeTimeout:   20 * time.Second,
		ResponseHeaderTimeout: 60 * time.Second,
		IdleConnTimeout:       30 * time.Second,
		MaxIdleConnsPerHost:   8,
	}
}

// Client returns a new HTTP client on this network that trusts the public internet. It has no overall timeout: give
// each request a context.
func (n Network) Client() *http.Client { return &http.Client{Transport: n.Transport()} }

// TLS returns a new client configuration that trusts the public internet as this network knows it.
func (n Network) TLS() *tls.Config {
	return &tls.Config{RootCAs: n.Roots, MinVersion: tls.VersionTLS12}
}
