package deflate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestComputeLengths_FillWithinLimit(t *testing.T) {
	fibonacci := []int{1, 1}
	for len(fibonacci) < 30 {
		fibonacci = append(fibonacci, fibonacci[len(fibonacci)-1]+fibonacci[len(fibonacci)-2])
	}
	for name, counts := range map[string][]int{
		"two": {0, 5, 0, 1}, "steep": fibonacci, "flat": {1, 1, 1, 1, 1, 1, 1}, "mixed": {9, 0, 3, 3, 1, 0, 70},
	} {
		for _, limit := range []int{7, 15} {
			sum := 0.0
			for symbol, n := range computeLengths(counts, limit) {
				if (n == 0) != (counts[symbol] == 0) || int(n) > limit {
					t.Errorf("%s: symbol %d of count %d has %d bits, the limit is %d", name, symbol, counts[symbol], n, limit)
				}
				if n > 0 {
					sum += math.Pow(2, -float64(n))
				}
			}
			if sum != 1 {
				t.Errorf("%s: %f of the room is used", name, sum)
			}
		}
	}
}

func TestComputeLengths_FewerThanTwoSymbols(t *testing.T) {
	if got := computeLengths([]int{0, 0}, 15); got[0] != 0 || got[1] != 0 {
		t.Errorf("%v", got)
	}
	if got := computeLengths([]int{0, 9}, 15); got[0] != 0 || got[1] != 1 {
		t.Errorf("%v", got)
	}
}

// TestComputeLengths_AreOptimal compares with a plain Huffman tree, which is optimal without the limit.
func TestComputeLengths_AreOptimal(t *testing.T) {
	random := rand.New(rand.NewChaCha8([32]byte{3}))
	for range 200 {
		counts := make([]int, 2+random.IntN(60))
		for i := range counts {
			counts[i] = 1 + random.IntN(50)
		}
		got := 0
		for symbol, n := range computeLengths(counts, 15) {
			got += int(n) * counts[symbol]
		}
		if want := huffman(counts); got != want {
			t.Fatalf("%v: %d bits, want %d", counts, got, want)
		}
	}
}

func huffman(counts []int) (bits int) {
	weights := append([]int(nil), counts...)
	for len(weights) > 1 {
		for end := range 2 { // the two lightest move to the end
			last := len(weights) - 1 - end
			for i := range last {
				if weights[i] < weights[last] {
					weights[i], weights[last] = weights[last], weights[i]
				}
			}
		}
		n := len(weights)
		weights[n-2] += weights[n-1]
		weights = weights[:n-1]
		bits += weights[n-2]
	}
	return bits
}
