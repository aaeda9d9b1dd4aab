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

	"github.com/miekg/dns"
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
	// Machine is how the machine itself resolves names, where Lookup asks others because of a proxy; nil: as Lookup does.
	Machine *Names
	// Resolver is asked for other records than addresses; nil means that Delegation does not work.
	Resolver Resolver
	// Roots are the certificate authorities of the public internet; nil means the host's.
	Roots *x509.CertPool
	// ReleaseKey is the OpenPGP public key, armored, by which the downloads of releases are verified; nil means the
	// key of OpenShift's publisher, which is pinned.
	ReleaseKey []byte
	// HostKeys are the SSH host keys, as in authorized_keys, of hosts whose keys are pinned otherwise; nil in the real
	// world.
	HostKeys map[string]string
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
	own := newMachineNames(net.DefaultResolver, resolvConf)
	n.Lookup, n.LookupIPv6, n.Resolvers, n.Resolver = own.Lookup, own.LookupIPv6, own.Resolvers, n.newConfiguredResolver(resolvConf)
	if _, applies := n.findProxy(PublicResolver()); applies {
		return n.withPublicResolver(PublicResolver())
	}
	return n
}

// withPublicResolver returns a network that resolves names over HTTPS, and as before where that fails.
func (n Network) withPublicResolver(public *url.URL) Network {
	own, resolver := n.Direct(), NewHTTPSResolver(n.NewClient(), public)
	n.Machine = &own
	n.Lookup = resolver.lookup(dns.TypeA, own.Lookup)
	n.LookupIPv6 = resolver.lookup(dns.TypeAAAA, own.LookupIPv6)
	n.Resolvers = func() []string { return []string{public.Host} }
	n.Resolver = resolver.WithFallback(n.Resolver)
	return n
}

// NewTransport returns a new HTTP transport on this network that trusts the public internet.
func (n Network) NewTransport() *http.Transport {
	return &http.Transport{
		DialContext:            n.Dial,
		Proxy:                  n.Proxy,
		TLSClientConfig:        n.NewTLSConfig(),
		ForceAttemptHTTP2:      false,
		TLSHandshakeTimeout:    20 * time.Second,
		ResponseHeaderTimeout:  60 * time.Second,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    32, // more than ever speak at a time: a connection that is not kept costs a handshake
	}
}

// NewClient returns a new HTTP client on this network that trusts the public internet. It has no overall timeout: give
// each request a context.
func (n Network) NewClient() *http.Client { return &http.Client{Transport: n.NewTransport()} }

// NewTLSConfig returns a new client configuration that trusts the public internet as this network knows it.
func (n Network) NewTLSConfig() *tls.Config {
	return &tls.Config{RootCAs: n.Roots, MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(0)}
}
