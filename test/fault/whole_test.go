//go:build !race

package fault_test

import "testing"

// long runs a whole installation at full length.
func long(*testing.T) {}

// sampled returns every call: each is interrupted.
func sampled(calls []string) map[int]string {
	all := map[int]string{}
	for n, call := range calls {
		all[n] = call
	}
	return all
}
