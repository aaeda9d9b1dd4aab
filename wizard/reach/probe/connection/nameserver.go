package connection

import (
	"context"
	"net"
	"net/netip"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// refineLookupClass finds out why no name server answers a query.
func (a diagnosis) refineLookupClass(ctx context.Context, class reach.Class) reach.Class {
	resolvers := a.Deps.Network.Direct().Resolvers
	switch {
	case class == reach.NXDomain || resolvers == nil:
	case len(resolvers()) == 0:
		return reach.NoResolver
	case class == reach.ServFail && a.isRefused(ctx, resolvers()[0]):
		return reach.DNSRefused
	}
	return class
}

// The system's resolver tells a refusal as any other failure.
func (a diagnosis) isRefused(ctx context.Context, resolver string) bool {
	if _, err := netip.ParseAddr(resolver); err != nil {
		return false
	}
	conn, err := a.Deps.Network.Dial(ctx, "udp", net.JoinHostPort(resolver, "53"))
	if err != nil {
		return false
	}
	reply, err := network.Query(ctx, conn, network.Question{Name: a.Target.Host, Type: "A", Recursive: true})
	return err == nil && reply.Code == "REFUSED"
}
