// Package network is the one way out of the process: resolver, dialer, trust roots, proxy, and the clock that waits
// are measured by. Host is the machine's own network; a simulated zone offers another. Nothing else differs between
// an installation and its rehearsal.
package network

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
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
	// LookupIPv6 returns the IPv6 addresses of a name; nil: there is no IPv6 in this world.
	LookupIPv6 func(ctx context.Context, name string) ([]netip.Addr, error)
	// Resolvers returns the addresses of those who Lookup asks, for people; nil: nobody knows.
	Resolvers func() []string
	// Resolver is asked for other records than addresses; nil means that Delegation does not work.
	Resolver Resolver
	// Roots are the certificate authorities of the public internet; nil means the host's.
	Roots *x509.CertPool
	// ReleaseKey is the OpenPGP public key, armored, by which the downloads of releases are verified; nil means the
	// key of OpenShift's publisher, which is pinned.
	ReleaseKey []byte
	// Proxy chooses a proxy for a request, like http.Transport.Proxy; nil means none.
	Proxy func(*http.Request) (*url.URL, error)
	// Clock is the time that waits are measured by.
	Clock Clock
}

// Host returns the network of the machine the program runs on, with its proxy environment. Behind a proxy, names are
// resolved over HTTPS through it, because such machines often know inner names only.
func Host() Network {
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	n := Network{Dial: dialer.DialContext, Proxy: http.ProxyFromEnvironment}
	n.Lookup, n.Resolver = inner(net.DefaultResolver), n.configured(resolvConf)
	if _, applies := n.throughProxy(PublicResolver()); applies {
		n.Lookup, n.Resolver = n.outer(PublicResolver())
	}
	return n
}

func inner(resolver *net.Resolver) func(context.Context, string) ([]netip.Addr, error) {
	return func(ctx context.Context, name string) ([]netip.Addr, error) {
		return resolver.LookupNetIP(ctx, "ip4", name)
	}
}

// outer returns how names are resolved over HTTPS, and as before where that fails.
func (n Network) outer(public *url.URL) (func(context.Context, string) ([]netip.Addr, error), Resolver) {
	direct, resolver := n.Lookup, OverHTTPS(n.Client(), public)
	lookup := func(ctx context.Context, name string) ([]netip.Addr, error) {
		list, err := resolver.lookup(ctx, name)
		var failure *net.DNSError
		if errors.As(err, &failure) && !failure.IsNotFound && ctx.Err() == nil {
			return direct(ctx, name)
		}
		return list, err
	}
	return lookup, resolver.Or(n.Resolver)
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
		MaxIdleConnsPerHost:   32, // more than ever speak at a time: a connection that is not kept costs a handshake
	}
}

// Client returns a new HTTP client on this network that trusts the public internet. It has no overall timeout: give
// each request a context.
func (n Network) Client() *http.Client { return &http.Client{Transport: n.Transport()} }

// TLS returns a new client configuration that trusts the public internet as this network knows it.
func (n Network) TLS() *tls.Config {
	return &tls.Config{RootCAs: n.Roots, MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(0)}
}
