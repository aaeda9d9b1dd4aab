package main

import (
	"os"
	"testing"
)

// long skips a test in short mode: `make test`, and the race detector, with which it takes ten times as long. `make faults`
// runs the tests that call it.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it is long: make faults runs it")
	}
}

// exhaustive skips a part of a test that only `make pairs` runs: it takes seconds of a processor, and what it covers changes seldom.
func exhaustive(t *testing.T) {
	t.Helper()
	if os.Getenv("EXOSHIFT_NODE_FAULTS") != "all" {
		t.Skip("it is one of many: make pairs runs it")
	}
}

// whole skips a test with the race detector, with which a whole installation takes minutes. Otherwise it runs in short mode,
// too, so that this covers a whole installation.
func whole(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("it is a whole installation: make test and make faults run it")
	}
}
