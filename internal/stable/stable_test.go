package stable_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"exoshift/internal/stable"
)

type pair struct{ key, place int }

func TestSort_IsThatOfTheStandardLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	compare := func(a, b pair) int { return cmp.Compare(a.key, b.key) }
	for length := range 100 {
		list := make([]pair, length)
		for i := range list {
			list[i] = pair{random.IntN(10), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, compare)
		if stable.Sort(list, compare); !slices.Equal(list, want) {
			t.Fatalf("got %v, want %v", list, want)
		}
	}
}
