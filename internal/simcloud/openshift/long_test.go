package openshift

import "testing"

// long skips a test in short mode, which `make test` and the race detector use: with that it takes ten times as long. `make
// faults` runs all tests that begin with it.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it is long: make faults runs it")
	}
}
