//go:build race

package openshift

import "testing"

// long skips a cluster that comes to life as a whole: with the race detector it takes ten times as long. It runs without
// it, too.
func long(t *testing.T) {
	t.Helper()
	t.Skip("it runs without the race detector")
}
