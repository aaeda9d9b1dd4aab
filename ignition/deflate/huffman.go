package deflate

import (
	"cmp"
	"math/bits"
	"slices"
)

// A symbol, or a package of two nodes of the level before. It is small, as a search needs many.
type node struct {
	weight int32
	symbol int16 // -1 for a package
	first  int16 // of the two nodes, in the level before
}

// By the package-merge algorithm. Symbols that do not occur have no code.
func computeLengths(counts []int, limit int) []uint8 {
	lengths := make([]uint8, len(counts))
	var leaves []node
	for symbol, n := range counts {
		if n > 0 {
			leaves = append(leaves, node{weight: int32(n), symbol: int16(symbol)})
		}
	}
	if len(leaves) == 1 {
		lengths[leaves[0].symbol] = 1
	}
	if len(leaves) < 2 {
		return lengths
	}
	slices.SortStableFunc(leaves, func(a, b node) int { return cmp.Compare(a.weight, b.weight) })
	levels := [][]node{leaves}
	for len(levels) < limit {
		levels = append(levels, merge(leaves, levels[len(levels)-1]))
	}
	countLengths(lengths, levels, 2*len(leaves)-2)
	return lengths
}

func merge(leaves, level []node) []node {
	merged := make([]node, 0, len(leaves)+len(level)/2)
	for i := 0; i+1 < len(level); i += 2 {
		weight := level[i].weight + level[i+1].weight
		for len(leaves) > 0 && leaves[0].weight <= weight {
			merged, leaves = append(merged, leaves[0]), leaves[1:]
		}
		merged = append(merged, node{weight: weight, symbol: -1, first: int16(i)})
	}
	return append(merged, leaves...)
}

// The length of a symbol's code is its number of occurrences among the first n nodes of the last level. The packages
// among them are made of the first nodes of the level before.
func countLengths(lengths []uint8, levels [][]node, n int) {
	for i := len(levels) - 1; i >= 0; i-- {
		below := 0
		for _, node := range levels[i][:n] {
			if node.symbol < 0 {
				below = int(node.first) + 2
			} else {
				lengths[node.symbol]++
			}
		}
		n = below
	}
}

// Its first bit is the lowest.
type prefix struct {
	bits   uint16
	length uint
}

// The codes are RFC 1951's canonical ones.
func assignCodes(lengths []uint8) []prefix {
	var counts, next [17]uint16
	for _, n := range lengths {
		counts[n]++
	}
	counts[0] = 0
	for n := 1; n < len(next); n++ {
		next[n] = (next[n-1] + counts[n-1]) << 1
	}
	prefixes := make([]prefix, len(lengths))
	for symbol, n := range lengths {
		if n > 0 {
			prefixes[symbol] = prefix{bits: bits.Reverse16(next[n]) >> (16 - n), length: uint(n)}
			next[n]++
		}
	}
	return prefixes
}
