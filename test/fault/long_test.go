package fault_test

import "testing"

// long skips a test where only the short ones are asked for: `make test`, and the race detector, with which it takes ten
// times as long. `make faults` runs all that begin with it.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it is long: make faults runs it")
	}
}

// sampled returns the calls to interrupt: all of them, or a few where only short tests are asked for.
func sampled(calls []string) map[int]string {
	step := 1
	if testing.Short() {
		step = 48
	}
	some := map[int]string{}
	for n := 0; n < len(calls); n += step {
		some[n] = calls[n]
	}
	return some
}
