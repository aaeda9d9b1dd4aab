package conformance

import "testing"

// long skips a test in short mode, which `make test` and the race detector use. `make faults` runs the tests that call it.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it is long: make faults runs it")
	}
}

// whole skips a test of many whole runs with the race detector, which sees in one of them what it can see. Otherwise it runs in
// short mode, too.
func whole(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("it is many whole runs: make test and make faults run it")
	}
}
