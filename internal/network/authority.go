package network

import (
	"context"
	"net"
	"net/netip"
	"net/url"

	"github.com/miekg/dns"

	"exoshift/internal/fault"
)

// QueryAddresses queries one authoritative server ("host" or "host:port"), without a resolver, for the IPv4 addresses of a
// name. A name without any is of kind NotFound; a server that does not answer, or not for this name, is Transient.
func (n Network) QueryAddresses(ctx context.Context, server, name string) ([]netip.Addr, error) {
	op := "ask " + server + " for " + normalizeName(name)
	answer, err := n.queryServer(ctx, server, newQuestion(name, dns.TypeA))
	if err != nil {
		return nil, fault.New(getFaultKind(ctx), op, err).
			WithHint("check that this machine reaches port 53 of %s, directly or through the proxy", server)
	}
	if list := extractAddresses(answer); len(list) > 0 {
		return list, nil
	}
	if !answer.Authoritative {
		return nil, fault.Newf(fault.Transient, op, "it does not serve the zone of that name").
			WithHint("wait until the zone has reached its name servers")
	}
	return nil, fault.Newf(fault.NotFound, op, "it has no address of that name")
}

// dialServer uses TCP through a proxy where one applies, because proxies do not carry UDP.
func (n Network) dialServer(ctx context.Context, network, address string) (net.Conn, error) {
	_, applies := n.findProxy(&url.URL{Scheme: "https", Host: address, Path: "/"})
	switch {
	case network == "tcp":
		return n.Connect(ctx, address)
	case applies:
		return nil, net.UnknownNetworkError(network)
	}
	return n.Dial(ctx, network, address)
}
