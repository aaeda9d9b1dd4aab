package api

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// Public addresses of the simulation lie in the range that is reserved for benchmarks: 198.18.0.0/16 for instances,
// 198.19.0.0/16 for elastic IPs, and 2001:db8::/32 for elastic IPs of the other family.

// freeAddress returns an address for an instance. Addresses do not come back soon, so that a stale DNS record does
// not lead to another machine.
func (a *API) freeAddress(order int) netip.Addr {
	taken := map[netip.Addr]bool{}
	for _, i := range a.tables.instances.all() {
		taken[i.Address] = true
	}
	return free(198<<24|18<<16, order, taken)
}

func (a *API) freeElasticIP(order int) netip.Addr {
	taken := map[netip.Addr]bool{}
	for _, ip := range a.tables.elasticIPs.all() {
		taken[ip.Address] = true
	}
	return free(198<<24|19<<16, order, taken)
}

func free(base uint32, order int, taken map[netip.Addr]bool) netip.Addr {
	for ; ; order++ {
		var bytes [4]byte
		binary.BigEndian.PutUint32(bytes[:], base+uint32(order%65000)+10) //nolint:gosec // below 65010
		if address := netip.AddrFrom4(bytes); !taken[address] {
			return address
		}
	}
}

func addressText(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

// mac returns the hardware address of an instance's public interface.
func mac(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	b := address.As4()
	return fmt.Sprintf("06:00:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3])
}
