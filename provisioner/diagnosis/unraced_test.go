//go:build !race

package diagnosis

const slowdown = 1
