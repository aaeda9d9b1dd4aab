package ignition

import (
	"encoding/binary"
	"math/bits"

	"exoshift/internal/fault"
)

// From docs/interop/qcow2.txt of QEMU; bytes.
const (
	qcow2Magic      = "QFI\xfb"
	qcow2HeaderSize = 112 // the fields that are used here
	qcow2Oldest     = 72  // the size in version 2
)

const offsetBits = 1<<56 - 1<<9

type qcow2Header struct {
	clusterBits uint
	tables      int64 // offset of the L1 table, which lists the L2 tables
	tablesSize  int64 // bytes
}

func (h qcow2Header) clusterSize() int { return 1 << h.clusterBits }

// parseQcow2Header refuses features that hide content from a search: another compression, encryption, other files.
func parseQcow2Header(start []byte) (qcow2Header, error) {
	if len(start) < qcow2Oldest {
		return qcow2Header{}, newInvalidImage("it ends within its header")
	}
	word := func(at int) uint32 { return binary.BigEndian.Uint32(start[at:]) }
	version := word(4)
	h := qcow2Header{
		clusterBits: uint(word(20)),
		tables:      int64(binary.BigEndian.Uint64(start[40:])),
		tablesSize:  8 * int64(word(36)),
	}
	switch {
	case version != 2 && version != 3:
		return h, newInvalidImage("it is of version %d, and only 2 and 3 are known", version)
	case binary.BigEndian.Uint64(start[8:]) != 0:
		return h, newInvalidImage("a part of its content is in another file, on which it is based")
	case word(32) != 0:
		return h, newInvalidImage("it is encrypted")
	case h.clusterBits < 9 || h.clusterBits > 21:
		return h, newInvalidImage("its clusters have 2^%d bytes", h.clusterBits)
	case h.tables < qcow2Oldest || h.tables%8 != 0 || h.tablesSize == 0:
		return h, newInvalidImage("its first table is at byte %d and has %d bytes", h.tables, h.tablesSize)
	case version == 3:
		return h, checkFeatures(start)
	}
	return h, nil
}

// checkFeatures refuses the relevant incompatible features of version 3. An image that was not closed properly, bit 0,
// has all its tables in place.
func checkFeatures(start []byte) error {
	if len(start) < qcow2HeaderSize {
		return newInvalidImage("it ends within its header")
	}
	features := binary.BigEndian.Uint64(start[72:]) &^ 1
	if features == 0 {
		return nil
	}
	bit := bits.TrailingZeros64(features)
	switch bit {
	case 1:
		return newInvalidImage("it is marked as corrupt")
	case 2:
		return newInvalidImage("its content is in another file")
	case 3:
		// zstd would need an encoder as good as the one that made the image.
		return fault.Newf(fault.Invalid, patching, "the qcow2 image is compressed with zstd").
			WithHint("convert it: qemu-img convert -O qcow2 -c -o compression_type=zlib IMAGE NEW")
	case 4:
		return newInvalidImage("it has subclusters")
	}
	return newInvalidImage("it has the unknown feature %d", bit)
}

func parseOffset(entry uint64) int64 { return int64(entry & offsetBits) }

// parseCompressed decodes an L2 entry. The cluster ends somewhere in the last of whole sectors, where the next one may
// begin.
func (h qcow2Header) parseCompressed(entry uint64) (at, size int64, compressed bool) {
	const flag, sector = 1 << 62, 512
	width := 62 - (h.clusterBits - 8)
	at = int64(entry & (1<<width - 1))
	sectors := int64(entry&(flag-1)>>width) + 1
	return at, sectors*sector - at%sector, entry&flag != 0
}
