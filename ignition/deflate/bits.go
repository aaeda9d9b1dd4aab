package deflate

// bitWriter packs bits into bytes, the lowest first.
type bitWriter struct {
	data  []byte
	rest  uint32 // bits that fill no byte yet
	count uint   // how many
}

// put writes the lowest n bits of value; at most 16.
func (w *bitWriter) put(value uint16, n uint) {
	w.rest |= uint32(value) << w.count
	for w.count += n; w.count >= 8; w.count -= 8 {
		w.data = append(w.data, byte(w.rest))
		w.rest >>= 8
	}
}

func (w *bitWriter) writeCode(p prefix) { w.put(p.bits, p.length) }

func (w *bitWriter) writeFlag(set bool) {
	if set {
		w.put(1, 1)
		return
	}
	w.put(0, 1)
}

// flushByte goes on with the next byte.
func (w *bitWriter) flushByte() {
	if w.count > 0 {
		w.put(0, 8-w.count)
	}
}

func (w *bitWriter) flush() []byte {
	w.flushByte()
	return w.data
}
