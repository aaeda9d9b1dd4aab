package deflate

// Bits fill bytes from the lowest one.
type bitWriter struct {
	data  []byte
	rest  uint32 // bits that do not fill a byte yet
	count uint   // how many
}

// At most 16 bits.
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

func (w *bitWriter) flushByte() {
	if w.count > 0 {
		w.put(0, 8-w.count)
	}
}

func (w *bitWriter) flush() []byte {
	w.flushByte()
	return w.data
}
