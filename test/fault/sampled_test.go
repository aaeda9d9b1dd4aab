//go:build race

package fault_test

import "testing"

// long skips a whole installation: with the race detector it takes ten times as long. It runs without it, too.
func long(t *testing.T) {
	t.Helper()
	t.Skip("it runs without the race detector")
}

// sampled returns a few calls: with the race detector everything takes many times as long. All of them are
// interrupted without it.
func sampled(calls []string) map[int]string {
	few := map[int]string{}
	for n := 0; n < len(calls); n += 48 {
		few[n] = calls[n]
	}
	return few
}
