package wizard

import (
	"encoding/binary"
	"net/netip"

	"exoshift/state"
)

// findFreeRange returns a private range of the same size that overlaps no other range and none that is known to cause
// trouble, or "". Networks of the customer cannot be replaced.
func findFreeRange(spec state.Spec, own fieldRange) string {
	if isCustomers(own.field) || !own.prefix.Addr().Is4() {
		return ""
	}
	taken := []netip.Prefix{dockerNetwork()}
	for _, other := range append(listSpans(spec), listInternalRanges(spec)...) {
		if other.field != own.field && other.prefix.Addr().Is4() {
			taken = append(taken, other.prefix)
		}
	}
	if field, ok := find(Fields(), own.field); ok {
		usual, err := netip.ParsePrefix(field.Default())
		if err == nil && usual.Bits() == own.prefix.Bits() && findOverlap(usual, taken) == nil {
			return usual.String()
		}
	}
	for _, block := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"} {
		if free, ok := findFreeWithin(netip.MustParsePrefix(block), own.prefix.Bits(), taken); ok {
			return free.String()
		}
	}
	return ""
}

func findFreeWithin(block netip.Prefix, bits int, taken []netip.Prefix) (netip.Prefix, bool) {
	if bits < block.Bits() {
		return netip.Prefix{}, false
	}
	size := uint64(1) << (32 - bits)
	end := toUint(block.Addr()) + uint64(1)<<(32-block.Bits())
	for at := toUint(block.Addr()); at+size <= end; {
		candidate := netip.PrefixFrom(toAddr(at), bits)
		other := findOverlap(candidate, taken)
		if other == nil {
			return candidate, true
		}
		after := toUint(other.Addr()) + uint64(1)<<(32-other.Bits())
		at = max(at+size, (after+size-1)/size*size)
	}
	return netip.Prefix{}, false
}

func findOverlap(candidate netip.Prefix, taken []netip.Prefix) *netip.Prefix {
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
