package deflate

import "math/bits"

// Sizes of the alphabets of RFC 1951.
const (
	literals  = 286 // literals, the end of a block, and lengths
	distances = 30
	end       = 256
)

const (
	shortest = 3
	longest  = 258
)

// token is a match if it has a distance.
type token struct {
	value    uint16 // the byte, or the length of the match
	distance uint16
}

func (t token) length() int {
	if t.distance == 0 {
		return 1
	}
	return int(t.value)
}

func encodeLength(length uint16) (symbol int, extra uint, value uint16) {
	x := length - shortest
	switch {
	case length == longest:
		return literals - 1, 0, 0
	case x < 8:
		return end + 1 + int(x), 0, 0
	}
	extra = uint(bits.Len16(x)) - 3
	return end + 1 + 4*(int(extra)+1) + int(x>>extra&3), extra, x & (1<<extra - 1)
}

func encodeDistance(distance uint16) (symbol int, extra uint, value uint16) {
	x := distance - 1
	if x < 4 {
		return int(x), 0, 0
	}
	extra = uint(bits.Len16(x)) - 2
	return 2*(int(extra)+1) + int(x>>extra&1), extra, x & (1<<extra - 1)
}

type histogram struct {
	literal  [literals]int
	distance [distances]int
}

func (h *histogram) count(t token) {
	if t.distance == 0 {
		h.literal[t.value]++
		return
	}
	length, _, _ := encodeLength(t.value)
	distance, _, _ := encodeDistance(t.distance)
	h.literal[length]++
	h.distance[distance]++
}

func (h *histogram) add(other *histogram) {
	for i, n := range other.literal {
		h.literal[i] += n
	}
	for i, n := range other.distance {
		h.distance[i] += n
	}
}
