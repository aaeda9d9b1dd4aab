package syn

import "testing"

func TestFormatFiring_Counts(t *testing.T) {
	for want, n := range map[string][2]int{
		"no alert fires": {0, 0}, "2 alerts fire, all of them expected on a new cluster": {2, 0}, "1 alert fires, which is not expected": {1, 1},
		"3 alerts fire, 1 of them unexpected": {3, 1}, "1 alert fires, which is expected on a new cluster": {1, 0},
	} {
		if got := formatFiring(n[0], n[1]); got != want {
			t.Errorf("%v: %q", n, got)
		}
	}
}
