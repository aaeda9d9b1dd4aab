//go:build race

package hostile_test

// raced: the race detector makes megabytes of answers ten times as slow.
const raced = true
