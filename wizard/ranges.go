package wizard

import (
	"fmt"
	"net/netip"
	"strings"

	"exoshift/state"
	"exoshift/wizard/cidr"
)

// A range without a field is named by words.
type fieldRange struct {
	field  string
	prefix netip.Prefix
}

// Malformed ranges are left out; their number is limited.
func listSpans(spec state.Spec) []fieldRange {
	n := spec.Network
	named := []struct{ field, value string }{{podKey, n.PodCIDR}, {serviceKey, n.ServiceCIDR}, {nodeKey, n.NodeCIDR}, {privateKey, n.PrivateNetwork}}
	for i, value := range n.CustomerNetworks[:min(len(n.CustomerNetworks), maxItems)] {
		named = append(named, struct{ field, value string }{fmt.Sprintf("%s[%d]", customerKey, i), value})
	}
	var all []fieldRange
	for _, s := range named {
		if prefix, err := netip.ParsePrefix(s.value); err == nil {
			all = append(all, fieldRange{s.field, prefix.Masked()})
		}
	}
	return all
}

func checkOverlaps(spec state.Spec) []Problem {
	var faults []Problem
	all := listSpans(spec)
	free := map[string]string{} // by field: several of the customer's networks may overlap one of the cluster's
	for i, later := range all {
		for _, earlier := range all[:i] {
			if !later.prefix.Overlaps(earlier.prefix) {
				continue
			}
			for _, s := range []fieldRange{later, earlier} {
				if _, known := free[s.field]; !known {
					free[s.field] = findFreeRange(spec, s)
				}
			}
			faults = append(faults, newOverlapProblem(later, earlier, free))
		}
	}
	return faults
}

// If one of them is the customer's, the other is to be changed.
func newOverlapProblem(later, earlier fieldRange, free map[string]string) Problem {
	fault := Problem{Field: later.field, Allowed: "a separate range", Suggestion: free[later.field],
		Message: fmt.Sprintf("%s overlaps %s (%s)", later.prefix, earlier.field, earlier.prefix)}
	if instead := free[earlier.field]; instead != "" && isCustomers(later.field) {
		fault.Allowed = "another " + earlier.field + ", e.g. " + instead
	}
	return fault
}

func isCustomers(field string) bool { return strings.HasPrefix(field, customerKey) }

// For OVN-Kubernetes as of 4.18.
func listInternalRanges(spec state.Spec) []fieldRange {
	if spec.Network.CNI != ovnKubernetes {
		return nil
	}
	return []fieldRange{
		{"the join network of OVN-Kubernetes", netip.MustParsePrefix("100.64.0.0/16")},
		{"the transit network of OVN-Kubernetes", netip.MustParsePrefix("100.88.0.0/16")},
		{"the masquerade network of OVN-Kubernetes", netip.MustParsePrefix("169.254.0.0/17")},
		{"the join network of OVN-Kubernetes", netip.MustParsePrefix("fd98::/64")},
		{"the transit network of OVN-Kubernetes", netip.MustParsePrefix("fd97::/64")},
		{"the masquerade network of OVN-Kubernetes", netip.MustParsePrefix("fd69::/112")},
	}
}

func checkReserved(spec state.Spec) []Problem {
	return checkOverlapping(spec, listInternalRanges(spec))
}

// The default network of a Docker bridge.
func dockerNetwork() netip.Prefix { return netip.MustParsePrefix("172.17.0.0/16") }

func checkOverlapping(spec state.Spec, theirs []fieldRange) []Problem {
	var faults []Problem
	for _, our := range listSpans(spec) {
		for _, their := range theirs {
			if our.prefix.Overlaps(their.prefix) {
				faults = append(faults, WithField(our.field, NewProblem(
					fmt.Sprintf("%s overlaps %s (%s)", our.prefix, their.field, their.prefix),
					"a range that does not overlap it", findFreeRange(spec, our)))...)
			}
		}
	}
	return faults
}

// Range is one address range of the cluster or beside it, with its overlaps.
type Range struct {
	Field    string // key of its answer; empty for the network plugin's internal ones
	Title    string // a few words
	Prefix   netip.Prefix
	Overlaps []string // titles of other ranges
}

// ListRanges returns all address ranges that must not overlap, as far as they parse: those of the cluster, of the
// customer, and those that the network plugin uses inside. The latter's IPv6 networks are included only if the customer
// has IPv6 networks.
func ListRanges(spec state.Spec) []Range {
	var all []Range
	six := false
	for _, s := range listSpans(spec) {
		all = append(all, Range{Field: s.field, Title: formatRangeTitle(s.field, len(spec.Network.CustomerNetworks)), Prefix: s.prefix})
		six = six || s.prefix.Addr().Is6()
	}
	for _, s := range listInternalRanges(spec) {
		if six || s.prefix.Addr().Is4() {
			all = append(all, Range{Title: s.field, Prefix: s.prefix})
		}
	}
	for i := range all {
		for j := range all {
			if i != j && all[i].Prefix.Overlaps(all[j].Prefix) {
				all[i].Overlaps = append(all[i].Overlaps, all[j].Title)
			}
		}
	}
	return all
}

func formatRangeTitle(key string, customers int) string {
	if field, ok := Find(Fields(), key); ok {
		return field.Title
	}
	var i int
	if _, err := fmt.Sscanf(strings.TrimPrefix(key, customerKey), "[%d]", &i); err != nil || customers < 2 {
		return "Customer network"
	}
	return fmt.Sprintf("Customer network %d", i+1)
}

// findFreeRange returns a private range of the same size that overlaps no other range and none that is known to cause
// trouble, or "". Networks of the customer cannot be replaced.
func findFreeRange(spec state.Spec, own fieldRange) string {
	if isCustomers(own.field) || !own.prefix.Addr().Is4() {
		return ""
	}
	taken := []netip.Prefix{dockerNetwork()}
	for _, other := range append(listSpans(spec), listInternalRanges(spec)...) {
		if other.field != own.field && other.prefix.Addr().Is4() {
			taken = append(taken, other.prefix)
		}
	}
	if field, ok := Find(Fields(), own.field); ok {
		usual, err := netip.ParsePrefix(field.Default())
		if err == nil && usual.Bits() == own.prefix.Bits() && cidr.FindOverlap(usual, taken) == nil {
			return usual.String()
		}
	}
	for _, block := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"} {
		if free, ok := cidr.FindFree(netip.MustParsePrefix(block), own.prefix.Bits(), taken); ok {
			return free.String()
		}
	}
	return ""
}

// CheckDockerBridge returns a warning if a range overlaps the usual network of a Docker bridge, as openshift-install does.
func CheckDockerBridge(spec state.Spec) []Problem {
	return checkOverlapping(spec, []fieldRange{{"the default Docker bridge network", dockerNetwork()}})
}
