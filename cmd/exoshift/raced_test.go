//go:build race

package main

// raced reports whether the race detector is enabled.
const raced = true
