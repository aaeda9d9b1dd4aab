//go:build !race

package openshift

import "testing"

// long runs a whole cluster at full length.
func long(*testing.T) {}
