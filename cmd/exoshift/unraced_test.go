//go:build !race

package main

import "testing"

// long runs a whole installation at full length.
func long(*testing.T) {}
