package connection

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// MaxAddresses is how many addresses or servers of one name are tried.
const MaxAddresses = 8

type lookup = func(ctx context.Context, name string) ([]netip.Addr, error)

// Resolve looks up the IPv4 addresses of the target.
func (a *Attempt) Resolve(ctx context.Context) error {
	if a.addresses != nil {
		return nil
	}
	if address, ok := a.Target.parseIP(); ok {
		a.addresses = []netip.Addr{address}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.Deps.Limits.DNS)
	defer cancel()
	names := a.Deps.Network.Direct()
	if names.Resolvers != nil {
		a.Record(reach.EvidenceResolver, strings.Join(names.Resolvers(), ", "))
	}
	began := time.Now()
	found, err := names.Lookup(ctx, a.Target.Host)
	a.RecordDuration(reach.EvidenceDNSTime, began)
	if err == nil && len(found) == 0 {
		err = errors.New("the resolver returned no address")
	}
	if err != nil {
		return a.handleLookupError(ctx, err)
	}
	a.addresses = found[:min(len(found), MaxAddresses)]
	a.Record(reach.EvidenceAddresses, formatAddresses(found))
	a.Layers.DNS = reach.LayerOK
	return a.checkSplitView(ctx)
}

// handleLookupError queries the name's own servers, to find out whether only our resolver does not know the name.
func (a *Attempt) handleLookupError(ctx context.Context, err error) error {
	class := diagnosis{a}.refineLookupClass(ctx, mapLookupError(err))
	if class != reach.NXDomain {
		return a.Fail(&a.Layers.DNS, class, err)
	}
	if hasIPv6(ctx, a.Deps.Network, a.Target.Host) {
		return a.Fail(&a.Layers.DNS, class, errors.New("the name has IPv6 addresses only, and nodes need an IPv4 address"))
	}
	if known, asked := network.NewNameServers(a.Deps.Network).QueryAuthoritative(ctx, a.Target.Host); asked == nil && len(known) > 0 {
		return a.Fail(&a.Layers.DNS, reach.SplitView, fmt.Errorf("the resolver does not know the name, its authoritative servers return %s", formatAddresses(known)))
	}
	return a.Fail(&a.Layers.DNS, reach.NXDomain, err)
}

// checkSplitView detects a public name that resolves to internal addresses only, unless its own servers return the same.
// The connection decides whether the address is trusted.
func (a *Attempt) checkSplitView(ctx context.Context) error {
	if a.Check.Group == "customer" || isInternalName(a.Target.Host) || !isAllInternal(a.addresses) {
		return nil
	}
	known, err := network.NewNameServers(a.Deps.Network).QueryAuthoritative(ctx, a.Target.Host)
	if err == nil && isAllInternal(known) {
		return nil
	}
	a.resolverErr = fmt.Errorf("the resolver returned %s, a private address", formatAddresses(a.addresses))
	if err == nil {
		a.resolverErr = fmt.Errorf("the resolver returned %s, the authoritative servers return %s", formatAddresses(a.addresses), formatAddresses(known))
	}
	a.Degrade(reach.SplitView)
	return nil
}

func formatAddresses(addresses []netip.Addr) string {
	var texts []string
	for _, address := range addresses[:min(len(addresses), MaxAddresses)] {
		texts = append(texts, address.String())
	}
	return strings.Join(texts, ", ")
}

func isAllInternal(addresses []netip.Addr) bool {
	for _, address := range addresses {
		if !isInternal(address) {
			return false
		}
	}
	return len(addresses) > 0
}

// Ranges for documentation and benchmarks are left out, since no resolver hides a service behind these.
func isInternal(address netip.Addr) bool {
	shared := netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10) // carrier-grade NAT, RFC 6598
	this := netip.PrefixFrom(netip.AddrFrom4([4]byte{}), 8)           // used by blocking resolvers
	address = address.Unmap()
	return address.IsPrivate() || address.IsLoopback() || address.IsLinkLocalUnicast() || address.IsMulticast() ||
		shared.Contains(address) || this.Contains(address) || address.IsUnspecified()
}

// Nothing depends on IPv6: nodes use IPv4.
const ipv6Limit = time.Second

func getFamilyKey(addresses []netip.Addr) string {
	if len(addresses) > 0 && addresses[0].Is6() {
		return reach.EvidenceIPv6
	}
	return reach.EvidenceIPv4
}

func hasIPv6(ctx context.Context, n network.Network, host string) bool {
	lookup := n.Direct().LookupIPv6
	if lookup == nil {
		return false
	}
	found, err := lookup(ctx, host)
	return err == nil && len(found) > 0
}

// watchIPv6 runs beside the probe, for a check whose host is a name. It reports once the probe's other work has ended.
func (a *Attempt) watchIPv6(ctx context.Context) {
	lookup := a.Deps.Network.Direct().LookupIPv6
	if _, literal := a.Target.parseIP(); literal || lookup == nil || a.state.ipv6 != nil || a.Target.Host != a.state.host {
		return
	}
	seen := make(chan string, 1)
	a.state.ipv6 = seen
	a.state.background.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, ipv6Limit)
		defer cancel()
		seen <- checkIPv6(ctx, a.Deps.Network, lookup, a.Target)
	})
}

func (a *Attempt) recordIPv6() {
	if a.state.ipv6 != nil {
		a.Record(reach.EvidenceIPv6, <-a.state.ipv6)
	}
}

func checkIPv6(ctx context.Context, n network.Network, lookup lookup, to Target) string {
	found, err := lookup(ctx, to.Host)
	if err != nil || len(found) == 0 {
		return ""
	}
	conn, err := n.Dial(ctx, "tcp", net.JoinHostPort(found[0].String(), to.Port))
	if err != nil {
		return FormatError(err)
	}
	_ = conn.Close()
	return "ok"
}
