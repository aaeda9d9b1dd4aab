// Package privatenetwork is the vocabulary of private networks: a second interface of the nodes, beside their public one.
package privatenetwork

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// Network is a private network of a zone. Its machines get addresses from it by DHCP, and nothing else: neither a router nor name servers,
// so the default route stays that of the public interface. The cloud fills ID.
type Network struct {
	Name        string
	Description string
	Labels      map[string]string
	Range       netip.Prefix
	Start, End  netip.Addr // of the addresses that are given out

	ID string
}

// Shortest and longest prefix of the range.
const (
	MinBits = 16
	MaxBits = 28
)

// New returns the network of a range. The first quarter of its addresses is not given out: it is for what has a fixed address.
func New(cidr string) (Network, error) {
	prefix, err := netip.ParsePrefix(cidr)
	switch {
	case err != nil:
		return Network{}, err
	case !prefix.Addr().Is4() || prefix.Masked() != prefix || prefix.Bits() < MinBits || prefix.Bits() > MaxBits:
		return Network{}, fmt.Errorf("%s is not an IPv4 range of /%d to /%d", prefix, MinBits, MaxBits)
	}
	size := uint32(1) << (32 - prefix.Bits())
	return Network{Range: prefix, Start: add(prefix.Addr(), size/4), End: add(prefix.Addr(), size-2)}, nil
}

func add(address netip.Addr, n uint32) netip.Addr {
	bytes := address.As4()
	binary.BigEndian.PutUint32(bytes[:], binary.BigEndian.Uint32(bytes[:])+n)
	return netip.AddrFrom4(bytes)
}

// Netmask returns the length of the prefix as Exoscale writes it, e.g. 255.255.255.0.
func (n Network) Netmask() string {
	var bytes [4]byte
	binary.BigEndian.PutUint32(bytes[:], ^uint32(0)<<(32-n.Range.Bits()))
	return netip.AddrFrom4(bytes).String()
}

// Room returns how many machines get an address.
func (n Network) Room() int {
	first, last := n.Start.As4(), n.End.As4()
	return int(binary.BigEndian.Uint32(last[:])-binary.BigEndian.Uint32(first[:])) + 1
}
