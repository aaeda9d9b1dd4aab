package api

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// Public addresses of the simulation are in the range reserved for benchmarks: 198.18.0.0/16 for instances, 198.19.0.0/16 for
// elastic IPs, and 2001:db8::/32 for elastic IPs of the other family.

// findFreeAddress does not reuse addresses soon, so that a stale DNS record does not resolve to another machine.
func (a *API) findFreeAddress(order int) netip.Addr {
	return findFreeIn(198<<24|18<<16, order, func(address netip.Addr) bool {
		_, taken := a.tables.instances.find(func(i instance) bool { return i.Address == address })
		return taken
	})
}

func (a *API) findFreeElasticIP(order int) netip.Addr {
	return findFreeIn(a.elasticBase(), order, func(address netip.Addr) bool {
		_, elastic := a.tables.elasticIPs.find(func(ip elasticIP) bool { return ip.Address == address })
		_, balanced := a.tables.balancers.find(func(b balancer) bool { return b.Wire.IP == address.String() })
		return elastic || balanced
	})
}

func (a *API) elasticBase() uint32 {
	if !a.config.Elastic.IsValid() {
		return 198<<24 | 19<<16
	}
	bytes := a.config.Elastic.Masked().Addr().As4()
	return binary.BigEndian.Uint32(bytes[:])
}

func findFreeIn(base uint32, order int, taken func(netip.Addr) bool) netip.Addr {
	for ; ; order++ {
		var bytes [4]byte
		binary.BigEndian.PutUint32(bytes[:], base+uint32(order%65000)+10) //nolint:gosec // below 65010
		if address := netip.AddrFrom4(bytes); !taken(address) {
			return address
		}
	}
}

func formatAddress(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

func formatMAC(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	b := address.As4()
	return fmt.Sprintf("06:00:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3])
}

func (a *API) assignAddress(i *instance, assignment string) {
	i.Assignment = assignment
	switch {
	case assignment == "none":
		i.Address = netip.Addr{}
	case !i.Address.IsValid():
		i.Address = a.findFreeAddress(i.Order)
	}
}

// ipv6Address returns "" unless the instance has addresses of both families.
func (i instance) ipv6Address() string {
	if i.Assignment != "dual" {
		return ""
	}
	b := i.Address.As4()
	return netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 0xff, 12: b[0], 13: b[1], 14: b[2], 15: b[3]}).String()
}
