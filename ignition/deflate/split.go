package deflate

import "slices"

// A segment is cut into at most this number of pieces of about the same size; blocks consist of whole pieces.
const parts = 32

// from is the position of the first token.
func split(tokens []token, from int) []block {
	pieces := splitPieces(tokens, from)
	best := make([]block, len(pieces)+1) // best[i] ends before piece i
	total := make([]int, len(pieces)+1)
	for i := range pieces {
		whole := block{from: pieces[i].from}
		for j, piece := range pieces[i:] {
			whole.symbols.add(&piece.symbols)
			whole.to, whole.extra = piece.to, whole.extra+piece.extra
			whole.selectCode()
			if after := i + j + 1; best[after].to == 0 || total[i]+whole.bits < total[after] {
				best[after], total[after] = whole, total[i]+whole.bits
			}
		}
	}
	return collectBlocks(best, pieces, tokens)
}

func splitPieces(tokens []token, from int) []block {
	pieces := []block{{from: from, to: from}}
	for _, t := range tokens {
		current := &pieces[len(pieces)-1]
		if current.to-from >= len(pieces)*segment/parts {
			pieces = append(pieces, block{from: current.to, to: current.to})
			current = &pieces[len(pieces)-1]
		}
		current.add(t)
	}
	return pieces
}

func collectBlocks(best, pieces []block, tokens []token) (blocks []block) {
	for i := len(pieces); i > 0; {
		blocks = append(blocks, best[i])
		i = slices.IndexFunc(pieces, func(piece block) bool { return piece.from == best[i].from })
	}
	slices.Reverse(blocks)
	for i := range blocks {
		n := 0
		for at := blocks[i].from; at < blocks[i].to; n++ {
			at += tokens[n].length()
		}
		blocks[i].tokens, tokens = tokens[:n], tokens[n:]
	}
	return blocks
}
