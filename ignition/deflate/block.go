package deflate

type block struct {
	from, to int
	tokens   []token
	symbols  histogram
	extra    int // bits that follow symbols
	code     code
	bits     int // the size of the block; for a stored one the upper bound
}

// BTYPE of RFC 1951.
type kind uint16

const (
	stored kind = iota
	fixed
	dynamic
)

type code struct {
	kind              kind
	literal, distance []uint8 // lengths; bits
	header            header  // of a dynamic block
}

func (b *block) add(t token) {
	b.to += t.length()
	b.symbols.count(t)
	if t.distance > 0 {
		_, lengthBits, _ := encodeLength(t.value)
		_, distanceBits, _ := encodeDistance(t.distance)
		b.extra += int(lengthBits + distanceBits)
	}
}

func (b *block) selectCode() {
	const kindBits, align, sizes, most = 3, 7, 32, 1<<16 - 1
	n := b.to - b.from
	chunks := max(1, (n+most-1)/most)
	b.code, b.bits = code{kind: stored}, chunks*(kindBits+align+sizes)+8*n
	symbols := b.symbols
	symbols.literal[end] = 1
	for _, c := range []code{newFixedCode(), newDynamicCode(&symbols)} {
		if bits := kindBits + c.header.bits + b.extra + c.size(&symbols); bits < b.bits {
			b.code, b.bits = c, bits
		}
	}
}

func (c *code) size(h *histogram) (bits int) {
	for i, n := range h.literal {
		bits += n * int(c.literal[i])
	}
	for i, n := range h.distance {
		bits += n * int(c.distance[i])
	}
	return bits
}

func newFixedCode() code {
	c := code{kind: fixed, literal: make([]uint8, literals+2), distance: make([]uint8, distances+2)}
	for i := range c.literal {
		switch {
		case i < 144, i >= 280:
			c.literal[i] = 8
		case i < 256:
			c.literal[i] = 9
		default:
			c.literal[i] = 7
		}
	}
	for i := range c.distance {
		c.distance[i] = 5
	}
	return c
}

func newDynamicCode(h *histogram) code {
	const limit = 15
	c := code{kind: dynamic, literal: computeLengths(h.literal[:], limit), distance: computeLengths(h.distance[:], limit)}
	c.header = newHeader(c.literal, c.distance)
	return c
}

func (b *block) write(out *bitWriter, data []byte, last bool) {
	if b.code.kind == stored {
		writeStored(out, data, last)
		return
	}
	out.writeFlag(last)
	out.put(uint16(b.code.kind), 2)
	b.code.header.write(out)
	literal, distance := assignCodes(b.code.literal), assignCodes(b.code.distance)
	for _, t := range b.tokens {
		t.write(out, literal, distance)
	}
	out.writeCode(literal[end])
}

func (t token) write(out *bitWriter, literal, distance []prefix) {
	if t.distance == 0 {
		out.writeCode(literal[t.value])
		return
	}
	symbol, extra, value := encodeLength(t.value)
	out.writeCode(literal[symbol])
	out.put(value, extra)
	symbol, extra, value = encodeDistance(t.distance)
	out.writeCode(distance[symbol])
	out.put(value, extra)
}

func writeStored(out *bitWriter, data []byte, last bool) {
	const most = 1<<16 - 1
	for first := true; first || len(data) > 0; first = false {
		n := min(len(data), most)
		out.writeFlag(last && n == len(data))
		out.put(uint16(stored), 2)
		out.flushByte()
		out.put(uint16(n), 16)
		out.put(^uint16(n), 16)
		out.data = append(out.data, data[:n]...)
		data = data[n:]
	}
}
