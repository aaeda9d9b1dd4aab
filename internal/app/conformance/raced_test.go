//go:build race

package conformance

// raced reports whether the race detector is enabled.
const raced = true
