package plan

import (
	"math"
	"math/big"
	"net/netip"
	"slices"

	"exoshift/internal/stable"
)

// scale divides a line among address ranges. Each stretch of addresses between two borders of ranges is one part of it, at least
// a column wide, so that ranges share a column only if they share addresses.
type scale struct{ parts []part }

// part is a stretch of addresses between two neighbouring borders of ranges.
type part struct {
	first, end *big.Int // end is exclusive
	width      int      // columns
	covered    bool
	shared     bool // by more than one range
}

// newScale drops stretches that are in no range if there are more parts than columns; if it is too narrow even for the rest, the
// scale has no parts.
func newScale(ranges []netip.Prefix, width int) scale {
	parts := splitRanges(ranges)
	if len(parts) > width {
		parts = slices.DeleteFunc(parts, func(p part) bool { return !p.covered })
	}
	if len(parts) > width {
		return scale{}
	}
	setWidths(parts, width)
	return scale{parts}
}

func splitRanges(ranges []netip.Prefix) []part {
	var borders []*big.Int
	for _, r := range ranges {
		first, end := computeBounds(r)
		borders = append(borders, first, end)
	}
	stable.Sort(borders, (*big.Int).Cmp)
	borders = slices.CompactFunc(borders, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	var parts []part
	for i := range len(borders) - 1 {
		p := part{first: borders[i], end: borders[i+1]}
		count := 0
		for _, r := range ranges {
			if p.isWithin(r) {
				count++
			}
		}
		p.covered, p.shared = count > 0, count > 1
		parts = append(parts, p)
	}
	return parts
}

func (p part) isWithin(r netip.Prefix) bool {
	first, end := computeBounds(r)
	return first.Cmp(p.first) <= 0 && p.end.Cmp(end) <= 0
}

// computeBounds returns the first address of a range and the one behind its last, as numbers: those of IPv6 begin behind IPv4.
func computeBounds(r netip.Prefix) (first, end *big.Int) {
	r = r.Masked()
	first = new(big.Int).SetBytes(r.Addr().AsSlice())
	if r.Addr().Is6() {
		first.Add(first, new(big.Int).Lsh(big.NewInt(1), 32))
	}
	size := new(big.Int).Lsh(big.NewInt(1), uint(max(r.Addr().BitLen()-r.Bits(), 0)))
	return first, size.Add(size, first)
}

// setWidths gives each part a column, and divides the rest by weight.
func setWidths(parts []part, width int) {
	rest, total := width-len(parts), 0.0
	for _, p := range parts {
		total += p.weight()
	}
	given, sum := 0, 0.0
	for i := range parts {
		sum += parts[i].weight()
		upTo := int(math.Round(float64(rest) * sum / total))
		parts[i].width = 1 + upTo - given
		given = upTo
	}
}

// weight grows with the fourth root of the number of addresses; a stretch in no range has little of it.
func (p part) weight() float64 {
	if !p.covered {
		return 2
	}
	bits := new(big.Int).Sub(p.end, p.first).BitLen() - 1
	return min(math.Pow(2, float64(bits)/4), 64)
}
