package wizard_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/capacity"
	"exoshift/wizard/local"
)

func TestComputeCapacity_FromRanges(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*state.Spec)
		want   capacity.Capacity
	}{
		"the default":    {func(*state.Spec) {}, capacity.Capacity{Nodes: 512, PodsPerNode: 510, Pods: 261120, Services: 65534, Wanted: 13}},
		"one large node": {func(s *state.Spec) { s.Network.HostPrefix = 14 }, capacity.Capacity{Nodes: 1, PodsPerNode: 262142, Pods: 262142, Services: 65534, Wanted: 13}},
		"no piece fits":  {func(s *state.Spec) { s.Network.HostPrefix = 13 }, capacity.Capacity{Services: 65534, Wanted: 13}},
		"no ranges":      {func(s *state.Spec) { s.Network.PodCIDR, s.Network.ServiceCIDR = "", "x" }, capacity.Capacity{Wanted: 13}},
		"one address":    {func(s *state.Spec) { s.Network.ServiceCIDR = "10.0.0.1/32" }, capacity.Capacity{Nodes: 512, PodsPerNode: 510, Pods: 261120, Wanted: 13}},
		"additional groups": {func(s *state.Spec) {
			s.Sizing.ExtraGroups = []state.GroupSpec{{MachineSpec: state.MachineSpec{Count: 7}}}
		}, capacity.Capacity{Nodes: 512, PodsPerNode: 510, Pods: 261120, Services: 65534, Wanted: 20}},
	} {
		spec := valid()
		c.change(&spec)
		if diff := cmp.Diff(c.want, capacity.Compute(spec)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestListRanges_WithOverlaps(t *testing.T) {
	spec := valid()
	spec.Network.NodeCIDR = "100.64.4.0/24"
	spec.Network.CustomerNetworks = []string{"10.130.0.0/16", "nonsense", "2001:db8::/32"}
	p := netip.MustParsePrefix
	want := []wizard.Range{
		{Field: "network.podCIDR", Title: "Pod network", Prefix: p("10.128.0.0/14"), Overlaps: []string{"Customer network 1"}},
		{Field: "network.serviceCIDR", Title: "Service network", Prefix: p("172.30.0.0/16")},
		{Field: "network.nodeCIDR", Title: "Node network", Prefix: p("100.64.4.0/24"), Overlaps: []string{"the join network of OVN-Kubernetes"}},
		{Field: "network.customerNetworks[0]", Title: "Customer network 1", Prefix: p("10.130.0.0/16"), Overlaps: []string{"Pod network"}},
		{Field: "network.customerNetworks[2]", Title: "Customer network 3", Prefix: p("2001:db8::/32")},
		{Title: "the join network of OVN-Kubernetes", Prefix: p("100.64.0.0/16"), Overlaps: []string{"Node network"}},
		{Title: "the transit network of OVN-Kubernetes", Prefix: p("100.88.0.0/16")},
		{Title: "the masquerade network of OVN-Kubernetes", Prefix: p("169.254.0.0/17")},
		{Title: "the join network of OVN-Kubernetes", Prefix: p("fd98::/64")},
		{Title: "the transit network of OVN-Kubernetes", Prefix: p("fd97::/64")},
		{Title: "the masquerade network of OVN-Kubernetes", Prefix: p("fd69::/112")},
	}
	if diff := cmp.Diff(want, wizard.ListRanges(spec), cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	spec.Network.CNI, spec.Network.CustomerNetworks = "Cilium", []string{"10.9.0.0/24"}
	if all := wizard.ListRanges(spec); len(all) != 4 || all[3].Title != "Customer network" {
		t.Errorf("%+v", all)
	}
}

// Each suggested range is applied, one problem after the other: each fixes its problem.
func TestSuggestRange_AvoidsOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := valid()
		spec.Network.PodCIDR, spec.Network.ServiceCIDR = validateRange(t, 9, 24), validateRange(t, 12, 28)
		spec.Network.NodeCIDR = validateRange(t, 8, 28)
		for range rapid.IntRange(0, 4).Draw(t, "networks") {
			spec.Network.CustomerNetworks = append(spec.Network.CustomerNetworks, validateRange(t, 8, 30))
		}
		for _, fault := range append(wizard.Check(spec), local.CheckWarnings(spec, wizard.Secrets{})...) {
			if fault.Suggestion == "" || !strings.Contains(fault.Message, " overlaps ") {
				continue
			}
			mended := spec
			if err := answer(fault.Field, fault.Suggestion, &mended); err != nil {
				t.Fatal(err)
			}
			for _, warning := range local.CheckWarnings(mended, wizard.Secrets{}) {
				if warning.Field == fault.Field {
					t.Fatalf("%s: %s was suggested, and %s", fault, fault.Suggestion, warning)
				}
			}
			if was := value(fault.Field, spec); !strings.HasSuffix(fault.Suggestion, was[strings.Index(was, "/"):]) {
				t.Fatalf("%s: %s was suggested in place of %s", fault, fault.Suggestion, was)
			}
			for _, r := range wizard.ListRanges(mended) {
				if r.Field == fault.Field && len(r.Overlaps) > 0 {
					t.Fatalf("%s: %s was suggested, and overlaps %q", fault, fault.Suggestion, r.Overlaps)
				}
			}
		}
	})
}

func validateRange(t *rapid.T, low, high int) string {
	block := rapid.SampledFrom([]string{"10.0.0.0", "10.128.0.0", "10.255.255.0", "172.16.0.0", "172.17.0.0", "172.30.0.0", "192.168.0.0", "100.64.0.0", "169.254.0.0"}).Draw(t, "block")
	return netip.PrefixFrom(netip.MustParseAddr(block), rapid.IntRange(low, high).Draw(t, "bits")).Masked().String()
}

func value(key string, spec state.Spec) string {
	fields := wizard.Fields()
	return fields[slices.IndexFunc(fields, func(f wizard.Field) bool { return f.Key == key })].Get(spec)
}

func answer(key, text string, spec *state.Spec) error {
	fields := wizard.Fields()
	i := slices.IndexFunc(fields, func(f wizard.Field) bool { return f.Key == key })
	return fields[i].Set(spec, text)
}

func TestSuggestRange_NoRoom(t *testing.T) {
	spec := valid()
	spec.Network.CustomerNetworks = []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"}
	spec.Network.NodeCIDR = "100.64.0.0/10"
	for _, fault := range wizard.Check(spec) {
		if fault.Suggestion != "" || strings.Contains(fault.Allowed, "e.g.") {
			t.Error(fault)
		}
	}
	if len(wizard.Check(spec)) < 4 {
		t.Errorf("too few faults:\n%s", lines(wizard.Check(spec)))
	}
}

func TestSuggestRange_CustomerNetwork(t *testing.T) {
	spec := valid()
	spec.Network.CustomerNetworks = []string{"10.130.0.0/16"}
	faults := wizard.Check(spec)
	if len(faults) != 1 || faults[0].Suggestion != "" || faults[0].Allowed != "another network.podCIDR, e.g. 10.4.0.0/14" {
		t.Errorf("got:\n%s", lines(faults))
	}
}
