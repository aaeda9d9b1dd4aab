package deflate

type header struct {
	literals, distances int // number of lengths of each
	runs                []run
	lengths             []uint8 // of the code of run symbols
	bits                int
}

// Run symbols beyond the code lengths 0 to 15.
const (
	repeat     = 16
	fewZeros   = 17
	manyZeros  = 18
	runSymbols = 19
)

type run struct {
	symbol uint8
	extra  uint16
}

func (r run) extraBits() uint {
	switch r.symbol {
	case repeat:
		return 2
	case fewZeros:
		return 3
	case manyZeros:
		return 7
	}
	return 0
}

// newHeader returns the shortest of all combinations of repeat symbols.
func newHeader(literal, distance []uint8) header {
	best := header{literals: countUsed(literal, end+1), distances: countUsed(distance, 1)}
	lengths := append(append([]uint8(nil), literal[:best.literals]...), distance[:best.distances]...)
	for ways := range 8 {
		h := header{literals: best.literals, distances: best.distances, runs: encodeRuns(lengths, ways)}
		h.buildCode()
		if best.bits == 0 || h.bits < best.bits {
			best = h
		}
	}
	return best
}

// Trailing zeros do not count.
func countUsed(lengths []uint8, least int) int {
	n := len(lengths)
	for n > least && lengths[n-1] == 0 {
		n--
	}
	return n
}

// Bits 0, 1 and 2 of ways allow the symbols 16, 17 and 18.
func encodeRuns(lengths []uint8, ways int) []run {
	runs := make([]run, 0, len(lengths))
	for len(lengths) > 0 {
		n := 1
		for n < len(lengths) && lengths[n] == lengths[0] {
			n++
		}
		if lengths[0] == 0 {
			runs = appendZeros(runs, n, ways)
		} else {
			runs = appendLengths(runs, lengths[0], n, ways&1 > 0)
		}
		lengths = lengths[n:]
	}
	return runs
}

func appendZeros(runs []run, n, ways int) []run {
	for n > 0 {
		switch {
		case n >= 11 && ways&4 > 0:
			k := min(n, 138)
			runs = append(runs, run{manyZeros, uint16(k - 11)})
			n -= k
		case n >= 3 && ways&2 > 0:
			k := min(n, 10)
			runs = append(runs, run{fewZeros, uint16(k - 3)})
			n -= k
		default:
			return appendLengths(runs, 0, n, ways&1 > 0)
		}
	}
	return runs
}

func appendLengths(runs []run, length uint8, n int, repeats bool) []run {
	runs = append(runs, run{symbol: length})
	for n--; n > 0; {
		k := min(n, 6)
		if n == 7 || n == 8 {
			k = n - 3 // two repeats instead of one and single lengths
		}
		if !repeats || k < 3 {
			runs = append(runs, run{symbol: length})
			n--
			continue
		}
		runs = append(runs, run{repeat, uint16(k - 3)})
		n -= k
	}
	return runs
}

func (h *header) buildCode() {
	const limit, counts = 7, 5 + 5 + 4
	var symbols [runSymbols]int
	for _, r := range h.runs {
		symbols[r.symbol]++
		h.bits += int(r.extraBits())
	}
	h.lengths = computeLengths(symbols[:], limit)
	for i, n := range symbols {
		h.bits += n * int(h.lengths[i])
	}
	h.bits += counts + 3*h.countOrdered()
}

// The order of HCLEN's code lengths in RFC 1951.
func order() [runSymbols]int {
	return [runSymbols]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
}

func (h *header) countOrdered() int {
	n, order := runSymbols, order()
	for n > 4 && h.lengths[order[n-1]] == 0 {
		n--
	}
	return n
}

func (h *header) write(out *bitWriter) {
	if h.bits == 0 {
		return // of a fixed block
	}
	n, order := h.countOrdered(), order()
	out.put(uint16(h.literals-end-1), 5)
	out.put(uint16(h.distances-1), 5)
	out.put(uint16(n-4), 4)
	for _, symbol := range order[:n] {
		out.put(uint16(h.lengths[symbol]), 3)
	}
	prefixes := assignCodes(h.lengths)
	for _, r := range h.runs {
		out.writeCode(prefixes[r.symbol])
		out.put(r.extra, r.extraBits())
	}
}
