package conformance

import "testing"

// long skips a test in short mode, which `make test` and the race detector use. `make faults` runs the tests that call it.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it is long: make faults runs it")
	}
}
