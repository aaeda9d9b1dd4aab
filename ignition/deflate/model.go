package deflate

import "math"

// model estimates the costs of tokens; bits.
type model struct {
	until    int
	literal  [end]float64
	length   [longest + 1]float64
	distance [distances]float64 // by symbol
}

func (m *model) match(length int, distance uint16) float64 {
	symbol, _, _ := encodeDistance(distance)
	return m.length[length] + m.distance[symbol]
}

// newInitialModel uses only the frequency of each byte.
func newInitialModel(data []byte, until int) model {
	var h histogram
	for _, b := range data {
		h.literal[b]++
	}
	for i := end + 1; i < literals; i++ {
		h.literal[i] = len(data)/128 + 1
	}
	for i := range h.distance {
		h.distance[i] = 1
	}
	return newModel(&h, until)
}

func newModels(blocks []block) []model {
	models := make([]model, len(blocks))
	for i, block := range blocks {
		models[i] = newModel(&block.symbols, block.to)
	}
	return models
}

// The costs are the entropy of symbols, which unlike the lengths of codes changes gradually.
func newModel(h *histogram, until int) model {
	m := model{until: until}
	literal, distance := computeEntropy(h.literal[:]), computeEntropy(h.distance[:])
	copy(m.literal[:], literal)
	for n := uint16(shortest); n <= longest; n++ {
		symbol, extra, _ := encodeLength(n)
		m.length[n] = literal[symbol] + float64(extra)
	}
	for d := range m.distance {
		m.distance[d] = distance[d] + float64(max(0, d/2-1))
	}
	return m
}

// A symbol that did not occur costs as much as a single occurrence.
func computeEntropy(counts []int) []float64 {
	total := 0
	for _, n := range counts {
		total += n
	}
	bits := make([]float64, len(counts))
	for i, n := range counts {
		bits[i] = math.Log2(float64(max(total, 1))) - math.Log2(float64(max(n, 1)))
	}
	return bits
}
