package main

import "testing"

// long skips a test where only the short ones are asked for: `make test`, and the race detector, with which it takes ten
// times as long. `make faults` runs all that begin with it.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it is long: make faults runs it")
	}
}

// whole skips a test with the race detector, with which a whole installation takes minutes. It is among the short tests
// otherwise, so that these see an installation from its beginning to its end.
func whole(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("it is a whole installation: make test and make faults run it")
	}
}
