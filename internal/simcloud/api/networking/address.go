package networking

import (
	"encoding/binary"
	"net/netip"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
)

// addressPool assigns public addresses that neither an elastic IP nor a load balancer has.
type addressPool struct {
	first      uint32
	elasticIPs *resource.Table[elasticIP]
	balancers  *resource.StatefulTable[balancer, *balancer]
}

// findFree returns the next address for a resource of that order.
func (p *addressPool) findFree(order int) netip.Addr {
	return instance.FindFreeAddress(p.first, order, func(address netip.Addr) bool {
		_, elastic := p.elasticIPs.Find(func(ip elasticIP) bool { return ip.Address == address })
		_, balanced := p.balancers.Find(func(b balancer) bool { return b.Wire.IP == address.String() })
		return elastic || balanced
	})
}

func firstAddress(elastic netip.Prefix) uint32 {
	if !elastic.IsValid() {
		return 198<<24 | 19<<16
	}
	bytes := elastic.Masked().Addr().As4()
	return binary.BigEndian.Uint32(bytes[:])
}
