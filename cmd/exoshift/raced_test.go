//go:build race

package main

// raced tells whether this is built with the race detector.
const raced = true
