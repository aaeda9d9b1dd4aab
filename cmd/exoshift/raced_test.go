//go:build race

package main

import "testing"

// long skips a whole installation: with the race detector it takes ten times as long. It runs without it, too.
func long(t *testing.T) {
	t.Helper()
	t.Skip("it runs without the race detector")
}
