package machineconfig

import "testing"

func TestSupportsIgnition_ByRelease(t *testing.T) {
	for _, c := range []struct {
		release, version string
		reads            bool
	}{
		{"4.18.24", "3.4.0", true}, {"4.18.24", "3.5.0", false}, {"4.19.0", "3.5.0", true}, {"4.20.0-okd-scos.3", "3.5.0", true},
		{"4.20.5", "3.6.0", false}, {"4.20.5", "", false},
	} {
		if got := supportsIgnition(c.release, c.version); got != c.reads {
			t.Errorf("%s reads %q: %t", c.release, c.version, got)
		}
	}
}
