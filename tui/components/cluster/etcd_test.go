package cluster

import (
	"testing"

	"exoshift/tui/tuitest"
)

func TestEtcd_PendingMembers(t *testing.T) {
	for _, c := range []struct {
		trail   []int
		masters int
		want    string
	}{
		{nil, 0, "1→2→3→4→3"},
		{[]int{1}, 0, "[1]→2→3→4→3"},
		{[]int{1, 2, 3}, 0, "1→2→[3]→4→3"},
		{[]int{1, 2, 3, 4, 3}, 3, "1→2→3→4→[3]"},
		{[]int{1, 2}, 5, "1→[2]→3→4→5→6→5"},
		{[]int{3}, 3, "[3]"},
		{[]int{1, 2, 1}, 3, "1→2→[1]"},
		{[]int{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3}, 3, "1→2→1→2→1→2→1→2→[3]"},
	} {
		p := Etcd{Theme: tuitest.NewTheme(false), Counts: c.trail, Masters: c.masters}
		if got := p.renderCounts(); got != c.want {
			t.Errorf("trail of %v is %q, want %q", c.trail, got, c.want)
		}
	}
}
