package network

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"time"

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
			return resolveWithFallback(ctx, listLookups(resolver, file, "ip4"), name)
		},
		LookupIPv6: func(ctx context.Context, name string) ([]netip.Addr, error) {
			return resolveWithFallback(ctx, listLookups(resolver, file, "ip6"), name)
		},
		Resolvers: func() []string { return readNameservers(file) },
	}
}

// fallbackDelay is how long a name server is waited for alone before the next one is asked, too. The system's resolver waits
// five seconds for each, longer than most callers wait for an answer.
const fallbackDelay = time.Second

type lookup = func(ctx context.Context, name string) ([]netip.Addr, error)

// listLookups returns the machine's own way to resolve names, and one for each name server after the first.
func listLookups(own *net.Resolver, file, family string) []lookup {
	resolvers, servers := []*net.Resolver{own}, readNameservers(file)
	for _, server := range servers[min(1, len(servers)):] {
		resolvers = append(resolvers, &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(server, "53"))
		}})
	}
	var all []lookup
	for _, resolver := range resolvers {
		all = append(all, func(ctx context.Context, name string) ([]netip.Addr, error) {
			return resolver.LookupNetIP(ctx, family, name)
		})
	}
	return all
}

type lookedUp struct {
	addresses []netip.Addr
	err       error
}

// resolveWithFallback begins each lookup a delay after the one before. The first one that has an answer counts, also if the
// answer is that there is no such name; if none has, the failure of the first.
func resolveWithFallback(ctx context.Context, lookups []lookup, name string) ([]netip.Addr, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan lookedUp, len(lookups))
	var failure error
	for next, failed := 0, 0; failed < len(lookups); {
		another := time.NewTimer(fallbackDelay)
		if next < len(lookups) {
			lookUp := lookups[next]
			go func() {
				addresses, err := lookUp(ctx, name)
				results <- lookedUp{addresses, err}
			}()
			next++
		}
		if next == len(lookups) {
			another.Stop() // there is none
		}
		select {
		case r := <-results:
			another.Stop()
			var lookup *net.DNSError
			if r.err == nil || errors.As(r.err, &lookup) && lookup.IsNotFound {
				return r.addresses, r.err
			}
			failed++
			failure = cmp.Or(failure, r.err)
		case <-another.C:
		}
	}
	return nil, failure
}

func readNameservers(file string) []string {
	config, err := dns.ClientConfigFromFile(file)
	if err != nil {
		return nil
	}
	return config.Servers
}
