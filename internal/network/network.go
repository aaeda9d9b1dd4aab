// Package network is the only access to the network: resolver, dialer, trust roots, proxy, and the clock of all waits. Host is
// the machine's own network; a simulated zone provides another. Nothing else differs between an installation and its
// rehearsal.
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

// Network provides connections, name resolution and time.
type Network struct {
	// Dial connects to "host:port"; it resolves names itself. network is "tcp" or "udp".
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// DialSmall is Dial for TCP with small segments in both directions, which pass where larger packets are lost; nil: not
	// possible.
	DialSmall func(ctx context.Context, network, address string) (net.Conn, error)
	// Lookup returns the addresses of a name, IPv4 first.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// LookupIPv6 returns the IPv6 addresses of a name; nil: the network has no IPv6.
	LookupIPv6 func(ctx context.Context, name string) ([]netip.Addr, error)
	// Resolvers returns the addresses of the resolvers that Lookup uses, for messages; nil: unknown.
	Resolvers func() []string
	// Machine is the resolution of the machine itself, where Lookup uses other resolvers because of a proxy; nil: as Lookup.
	Machine *Names
	// Resolver queries records other than addresses; nil: FindDelegation does not work.
	Resolver Resolver
	// Roots are the certificate authorities of the public internet; nil: the host's.
	Roots *x509.CertPool
	// PublicRoots are those of Roots that every machine of the internet trusts; nil: those that Mozilla lists, as nodes do.
	PublicRoots *x509.CertPool
	// ReleaseKey is the armored OpenPGP public key that signs the downloads of releases; nil: the pinned key of OpenShift's
	// publisher.
	ReleaseKey []byte
	// HostKeys are the SSH host keys, as in authorized_keys, of simulated hosts whose real keys are pinned; nil outside
	// simulations.
	HostKeys map[string]string
	// Proxy chooses a proxy for a request, like http.Transport.Proxy; nil: none.
	Proxy func(*http.Request) (*url.URL, error)
	// Observe wraps the transports of the clients of APIs, e.g. to record what they exchange; nil: nothing does.
	Observe func(http.RoundTripper) http.RoundTripper
	// Clock measures all waits.
	Clock Clock
}

// Host returns the network of the machine the program runs on, with its proxy environment. Behind a proxy, names are resolved
// over HTTPS through it, because such machines often resolve only internal names.
func Host() Network {
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	n := Network{Dial: dialer.DialContext, DialSmall: newSmallDial(*dialer), Proxy: http.ProxyFromEnvironment}
	own := newMachineNames(net.DefaultResolver, resolvConf)
	n.Lookup, n.LookupIPv6, n.Resolvers, n.Resolver = own.Lookup, own.LookupIPv6, own.Resolvers, newConfiguredResolver(n.Dial, resolvConf)
	if _, applies := n.findProxy(PublicResolver()); applies {
		return n.withPublicResolver(PublicResolver())
	}
	return n
}

func (n Network) withPublicResolver(public *url.URL) Network {
	own, resolver := n.Direct(), NewHTTPSResolver(n.NewClient(), public)
	n.Machine = &own
	n.Lookup = resolver.lookup(dns.TypeA, own.Lookup)
	n.LookupIPv6 = resolver.lookup(dns.TypeAAAA, own.LookupIPv6)
	n.Resolvers = func() []string { return []string{public.Host} }
	n.Resolver = resolver.withFallback(n.Resolver)
	return n
}

// NewTransport returns a new HTTP transport on this network that trusts the public internet's authorities.
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
		MaxIdleConnsPerHost:    32, // more than concurrent requests: a connection that is not kept costs a handshake
	}
}

// Observed returns a transport, wrapped by Observe.
func (n Network) Observed(transport http.RoundTripper) http.RoundTripper {
	if n.Observe == nil {
		return transport
	}
	return n.Observe(transport)
}

// NewClient returns a new HTTP client on this network that trusts the public internet's authorities. It has no overall
// timeout: give each request a context.
func (n Network) NewClient() *http.Client { return &http.Client{Transport: n.NewTransport()} }

// NewTLSConfig returns a new client configuration with the network's roots.
func (n Network) NewTLSConfig() *tls.Config {
	return &tls.Config{RootCAs: n.Roots, MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(0)}
}

// NewAPIClient returns a new HTTP client for an API: its responses are limited, and it follows no redirects.
func (n Network) NewAPIClient(limits Limits) *http.Client {
	return &http.Client{Transport: limits.Wrap(n.NewTransport()), CheckRedirect: KeepRedirect}
}

// Direct returns the resolution of names for connections without a proxy.
func (n Network) Direct() Names {
	if n.Machine != nil {
		return *n.Machine
	}
	return Names{Lookup: n.Lookup, LookupIPv6: n.LookupIPv6, Resolvers: n.Resolvers}
}
