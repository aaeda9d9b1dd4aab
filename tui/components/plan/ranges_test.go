package plan

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"exoshift/tui/tuitest"
)

func someRanges() []Range {
	in := netip.MustParsePrefix
	return []Range{
		{Title: "Pods", Prefix: in("10.128.0.0/14")},
		{Title: "Services", Prefix: in("172.30.0.0/16")},
		{Title: "Nodes", Prefix: in("10.0.0.0/16"), Overlaps: []string{"Customer network 1"}},
		{Title: "Customer network 1", Prefix: in("10.0.5.0/24"), Overlaps: []string{"Nodes"}},
		{Title: "Customer network 2", Prefix: in("10.1.0.0/16")},
		{Title: "OVN join", Prefix: in("100.64.0.0/16"), Reserved: true},
		{Title: "OVN join (IPv6)", Prefix: in("fd98::/64"), Reserved: true},
	}
}

func TestRanges_ShareColumnsOnOverlap(t *testing.T) {
	for _, width := range []int{56, 78, 120} {
		lines := strings.Split(Ranges{Theme: tuitest.NewTheme(false), Ranges: someRanges()}.View(width, 9), "\n")
		for i, r := range someRanges() {
			if crossed := strings.Contains(lines[i], "×"); crossed != (len(r.Overlaps) > 0) {
				t.Errorf("%s at %d columns: %q", r.Title, width, lines[i])
			}
			if !strings.ContainsAny(lines[i], "▓×") {
				t.Errorf("%s is not on the scale of %d columns: %q", r.Title, width, lines[i])
			}
		}
	}
}

// A range inside of another one is listed once, and also in words.
func TestRanges_DescribeOverlap(t *testing.T) {
	view := Ranges{Theme: tuitest.NewTheme(true), Ranges: someRanges()}.View(78, 9)
	if strings.Count(view, "overlaps") != 1 || !strings.Contains(view, "[XX] Nodes (10.0.0.0/16) overlaps Customer network 1") {
		t.Errorf("the overlap is not told once:\n%s", view)
	}
}

func TestRanges_KeepOverlapsInSmallView(t *testing.T) {
	view := Ranges{Theme: tuitest.NewTheme(false), Ranges: someRanges()}.View(58, 4)
	for _, listed := range []string{"✗ Nodes ", "✗ Customer net", "5 more ranges", "overlaps"} {
		if !strings.Contains(view, listed) {
			t.Errorf("%q is not told in\n%s", listed, view)
		}
	}
}

func TestRanges_CountsFurtherOverlaps(t *testing.T) {
	p := Ranges{Theme: tuitest.NewTheme(false)}
	for i := range 5 {
		r := Range{Title: fmt.Sprint("N", i), Prefix: netip.MustParsePrefix("10.0.0.0/8")}
		for j := range 5 {
			if i != j {
				r.Overlaps = append(r.Overlaps, fmt.Sprint("N", j))
			}
		}
		p.Ranges = append(p.Ranges, r)
	}
	view := p.View(70, 12)
	if strings.Count(view, "overlaps N") != maxPairs || !strings.Contains(view, "and 6 more overlaps") {
		t.Errorf("ten pairs read\n%s", view)
	}
}

func TestNewScale_ManyRanges(t *testing.T) {
	var prefixes []netip.Prefix
	for i := range 20 {
		prefixes = append(prefixes, netip.MustParsePrefix(fmt.Sprintf("10.%d.0.0/24", i)))
	}
	for width, parts := range map[int]int{39: 39, 38: 20, 20: 20, 19: 0} {
		if got := newScale(prefixes, width); len(got.parts) != parts {
			t.Errorf("a scale of %d columns has %d parts, want %d", width, len(got.parts), parts)
		}
	}
}

func TestCapacity_FitsNodes(t *testing.T) {
	p := Capacity{Theme: tuitest.NewTheme(false), Nodes: 512, PodsPerNode: 510, Services: 65534, Wanted: 13}
	if view := p.View(58, 2); !strings.Contains(view, "✓ Room for 512 nodes of 510 pods each (13 needed) ") || !strings.Contains(view, "65,534 services") {
		t.Errorf("it reads\n%s", view)
	}
	p.Wanted = 513
	if view := p.View(70, 2); !strings.Contains(view, "✗ Room for 512") {
		t.Errorf("too little room reads\n%s", view)
	}
}
