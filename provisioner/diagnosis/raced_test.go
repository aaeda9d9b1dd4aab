//go:build race

package diagnosis

// slowdown is how much longer everything may take with the race detector.
const slowdown = 20
