// Package deflate compresses data into a raw DEFLATE stream (RFC 1951), the shortest that a search finds. It is slow and
// meant for a few kilobytes that have to fit into the room which another encoder needed for nearly the same data.
package deflate

import "math"

// Window is the maximum distance of a match; bytes. qemu decompresses clusters with a window of this size.
const Window = 4096

const (
	// segment is the size of data that is searched at once, which bounds the memory; bytes.
	segment = 64 << 10
	// searchLimit is the limit of searches in a row without a gain.
	searchLimit = 4
	// searches is the limit of searches.
	searches = 30
)

// Pack returns a stream that decompresses to data, the shortest one that it finds. It stops searching at one of at most
// enough bytes.
func Pack(data []byte, enough int) []byte {
	var segments []search
	for from := 0; from == 0 || from < len(data); from += segment {
		segments = append(segments, newSearch(data, from, min(from+segment, len(data))))
	}
	stream := write(data, segments)
	for idle, n := 0, 0; len(stream) > enough && idle < searchLimit && n < searches; n++ {
		idle++
		for i := range segments {
			segments[i].improve(data)
		}
		if shorter := write(data, segments); len(shorter) < len(stream) {
			stream, idle = shorter, 0
		}
	}
	return stream
}

func write(data []byte, segments []search) []byte {
	var out bitWriter
	for i, s := range segments {
		for j, block := range s.blocks {
			last := i == len(segments)-1 && j == len(s.blocks)-1
			block.write(&out, data[block.from:block.to], last)
		}
	}
	return out.flush()
}

type search struct {
	from, to int
	blocks   []block
	bits     int
	models   []model // token costs for the next search
}

func newSearch(data []byte, from, to int) search {
	s := search{from: from, to: to, bits: math.MaxInt, models: []model{newInitialModel(data[from:to], to)}}
	s.improve(data)
	return s
}

// improve searches once more, with the costs of the last search. The matches are not kept in between: those of all
// segments would take much memory.
func (s *search) improve(data []byte) {
	blocks := split(newParser(data, s.from, s.to).parse(s.models), s.from)
	s.models = newModels(blocks)
	if bits := size(blocks); bits < s.bits {
		s.blocks, s.bits = blocks, bits
	}
}

func size(blocks []block) (bits int) {
	for _, block := range blocks {
		bits += block.bits
	}
	return bits
}
