package openshift

import "testing"

// long skips a test where only the short ones are asked for: `make test`, and the race detector, with which it takes ten
// times as long. `make faults` runs all that begin with it.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it is long: make faults runs it")
	}
}
