// Package cidr finds free IPv4 ranges among those that are taken.
package cidr

import (
	"encoding/binary"
	"net/netip"
)

// FindFree returns the first IPv4 range of that prefix length within a block that overlaps none of the taken ones.
func FindFree(block netip.Prefix, bits int, taken []netip.Prefix) (netip.Prefix, bool) {
	if bits < block.Bits() {
		return netip.Prefix{}, false
	}
	size := uint64(1) << (32 - bits)
	end := toUint(block.Addr()) + uint64(1)<<(32-block.Bits())
	for at := toUint(block.Addr()); at+size <= end; {
		candidate := netip.PrefixFrom(toAddr(at), bits)
		other := FindOverlap(candidate, taken)
		if other == nil {
			return candidate, true
		}
		after := toUint(other.Addr()) + uint64(1)<<(32-other.Bits())
		at = max(at+size, (after+size-1)/size*size)
	}
	return netip.Prefix{}, false
}

// FindOverlap returns the first taken range that overlaps a candidate, or nil.
func FindOverlap(candidate netip.Prefix, taken []netip.Prefix) *netip.Prefix {
	for _, other := range taken {
		if candidate.Overlaps(other) {
			return &other
		}
	}
	return nil
}

func toUint(address netip.Addr) uint64 {
	bytes := address.As4()
	return uint64(binary.BigEndian.Uint32(bytes[:]))
}

func toAddr(number uint64) netip.Addr {
	var bytes [4]byte
	binary.BigEndian.PutUint32(bytes[:], uint32(number))
	return netip.AddrFrom4(bytes)
}
