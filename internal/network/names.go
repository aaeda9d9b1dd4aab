package network

import (
	"context"
	"net"
	"net/netip"

	"github.com/miekg/dns"
)

// Names resolves names. Each function may be nil, as those of Network.
type Names struct {
	Lookup     func(ctx context.Context, name string) ([]netip.Addr, error)
	LookupIPv6 func(ctx context.Context, name string) ([]netip.Addr, error)
	Resolvers  func() []string
}

func newMachineNames(resolver *net.Resolver, file string) Names {
	return Names{
		Lookup: func(ctx context.Context, name string) ([]netip.Addr, error) {
			return resolver.LookupNetIP(ctx, "ip4", name)
		},
		LookupIPv6: func(ctx context.Context, name string) ([]netip.Addr, error) {
			return resolver.LookupNetIP(ctx, "ip6", name)
		},
		Resolvers: func() []string { return readNameservers(file) },
	}
}

func readNameservers(file string) []string {
	config, err := dns.ClientConfigFromFile(file)
	if err != nil {
		return nil
	}
	return config.Servers
}
