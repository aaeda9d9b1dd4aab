package network

import (
	"context"
	"net"
	"net/netip"
	"net/url"

	"github.com/miekg/dns"

	"exoshift/internal/fault"
)

// Addresses asks one authoritative server ("host" or "host:port"), and no resolver, for the IPv4 addresses of a name.
// A name without any is of kind NotFound; a server that does not answer, or not for this name, is Transient.
func (n Network) Addresses(ctx context.Context, server, name string) ([]netip.Addr, error) {
	op := "ask " + server + " for " + plain(name)
	answer, err := n.askServer(ctx, server, direct(name, dns.TypeA))
	if err != nil {
		return nil, fault.New(kindOf(ctx), op, err).
			WithHint("check that this machine reaches port 53 of %s, directly or through the proxy", server)
	}
	if list := addresses(answer); len(list) > 0 {
		return list, nil
	}
	if !answer.Authoritative {
		return nil, fault.Newf(fault.Transient, op, "it does not serve the zone of that name").
			WithHint("wait until the zone has reached its name servers")
	}
	return nil, fault.Newf(fault.NotFound, op, "it has no address of that name")
}

// reach connects to a name server: by TCP through the proxy where one applies, because it carries nothing else.
func (n Network) reach(ctx context.Context, network, address string) (net.Conn, error) {
	_, applies := n.throughProxy(&url.URL{Scheme: "https", Host: address, Path: "/"})
	switch {
	case network == "tcp":
		return n.Connect(ctx, address)
	case applies:
		return nil, net.UnknownNetworkError(network)
	}
	return n.Dial(ctx, network, address)
}
