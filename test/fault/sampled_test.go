//go:build race

package fault_test

// sampled returns a few calls: with the race detector everything takes many times as long. All of them are
// interrupted without it.
func sampled(calls []string) map[int]string {
	few := map[int]string{}
	for n := 0; n < len(calls); n += 16 {
		few[n] = calls[n]
	}
	return few
}
