package wizard

import (
	"fmt"
	"net/netip"
	"strconv"

	"exoshift/state"
)

// Network plugins.
const (
	ovnKubernetes = "OVNKubernetes"
	cilium        = "Cilium"
)

// cniKey is the field of the network plugin.
const cniKey = "network.cni"

// between wants a number in these bounds.
func between(low, high int) rule {
	allowed := fmt.Sprintf("%d to %d", low, high)
	switch {
	case low == high:
		allowed = fmt.Sprintf("exactly %d", low)
	case high == maxCount || high == maxDisk:
		allowed = fmt.Sprintf("%d or more", low)
	}
	return func(value string) []Fault {
		if n, err := strconv.Atoi(value); err != nil || n < low || n > high {
			return wrong(value+" is out of bounds", allowed, "")
		}
		return nil
	}
}

// anyRange wants an address range in its canonical form.
func anyRange(value string) []Fault {
	prefix, err := netip.ParsePrefix(value)
	switch {
	case err != nil:
		return wrong(quote(value)+" is no address range", "CIDR notation, e.g. 10.0.0.0/16", "")
	case prefix.Masked() != prefix:
		return wrong(quote(value)+" has bits set beyond its prefix", "the address of the network itself", prefix.Masked().String())
	}
	return nil
}

// ipv4Range wants a canonical range of IPv4 addresses.
func ipv4Range(value string) []Fault {
	if faults := anyRange(value); faults != nil {
		return faults
	}
	if !netip.MustParsePrefix(value).Addr().Is4() {
		return wrong(quote(value)+" is not an IPv4 range", "CIDR notation, e.g. 10.0.0.0/16", "")
	}
	return nil
}

// serviceRange wants what openshift-install accepts for services.
func serviceRange(value string) []Fault {
	if faults := ipv4Range(value); faults != nil {
		return faults
	}
	if netip.MustParsePrefix(value).Bits() < 12 {
		return wrong(quote(value)+" is too wide", "a prefix of /12 or longer", "")
	}
	return nil
}

// span is an address range with the field, or the words, that name it.
type span struct {
	field  string
	prefix netip.Prefix
}

// spans returns the ranges of a Spec that are well-formed.
func spans(spec state.Spec) []span {
	n := spec.Network
	named := []struct{ field, value string }{
		{"network.podCIDR", n.PodCIDR}, {"network.serviceCIDR", n.ServiceCIDR}, {"network.nodeCIDR", n.NodeCIDR},
	}
	for i, value := range n.CustomerNetworks {
		named = append(named, struct{ field, value string }{fmt.Sprintf("network.customerNetworks[%d]", i), value})
	}
	var all []span
	for _, s := range named {
		if prefix, err := netip.ParsePrefix(s.value); err == nil {
			all = append(all, span{s.field, prefix.Masked()})
		}
	}
	return all
}

// overlaps refuses networks that overlap each other.
func overlaps(spec state.Spec) []Fault {
	var faults []Fault
	all := spans(spec)
	for i, later := range all {
		for _, earlier := range all[:i] {
			if later.prefix.Overlaps(earlier.prefix) {
				faults = append(faults, of(later.field, wrong(
					fmt.Sprintf("%s overlaps %s, which is %s", later.prefix, earlier.field, earlier.prefix),
					"a range of its own", ""))...)
			}
		}
	}
	return faults
}

// reserved refuses networks that overlap what OVN-Kubernetes uses inside: 4.18 and later.
func reserved(spec state.Spec) []Fault {
	if spec.Network.CNI != ovnKubernetes {
		return nil
	}
	return overlapping(spans(spec), []span{
		{"the join network of OVN-Kubernetes", netip.MustParsePrefix("100.64.0.0/16")},
		{"the transit network of OVN-Kubernetes", netip.MustParsePrefix("100.88.0.0/16")},
		{"the masquerade network of OVN-Kubernetes", netip.MustParsePrefix("169.254.0.0/17")},
		{"the join network of OVN-Kubernetes", netip.MustParsePrefix("fd98::/64")},
		{"the transit network of OVN-Kubernetes", netip.MustParsePrefix("fd97::/64")},
		{"the masquerade network of OVN-Kubernetes", netip.MustParsePrefix("fd69::/112")},
	})
}

// dockerBridge points out a range that openshift-install warns of.
func dockerBridge(spec state.Spec) []Fault {
	return overlapping(spans(spec), []span{{"the usual network of a Docker bridge", netip.MustParsePrefix("172.17.0.0/16")}})
}

func overlapping(ours, theirs []span) []Fault {
	var faults []Fault
	for _, our := range ours {
		for _, their := range theirs {
			if our.prefix.Overlaps(their.prefix) {
				faults = append(faults, of(our.field, wrong(
					fmt.Sprintf("%s overlaps %s, which is %s", our.prefix, their.field, their.prefix),
					"a range that keeps clear of it", ""))...)
			}
		}
	}
	return faults
}

// hostPrefixes wants a piece of the pod network for each node.
func hostPrefixes(spec state.Spec) []Fault {
	const key = "network.hostPrefix"
	pods, err := netip.ParsePrefix(spec.Network.PodCIDR)
	own := spec.Network.HostPrefix
	if err != nil || !pods.Addr().Is4() || own < 1 || own > 30 {
		return nil
	}
	if own < pods.Bits() {
		return of(key, wrong(fmt.Sprintf("a /%d for each node does not fit into %s", own, pods),
			fmt.Sprintf("%d or more", pods.Bits()), ""))
	}
	if room, nodes := 1<<(own-pods.Bits()), nodeCount(spec); nodes > room {
		return of(key, wrong(fmt.Sprintf("%s has room for %d nodes of a /%d each, and %d are wanted", pods, room, own, nodes),
			"a longer prefix, or a wider network.podCIDR", ""))
	}
	return nil
}

// ciliumSource wants a place that Cilium's manifests come from: openshift-install has none. What is there is looked at
// when it is installed.
func ciliumSource(spec state.Spec) []Fault {
	if spec.Network.CNI != cilium || spec.Syn.CatalogDir != "" || spec.OpenShift.ManifestsDir != "" {
		return nil
	}
	return of(cniKey, wrong("Cilium's manifests come from a catalog or a directory, and none is named",
		"Cilium with syn.catalogDir or openshift.manifestsDir, or OVNKubernetes", ""))
}

func nodeCount(spec state.Spec) int {
	s := spec.Sizing
	count := s.ControlPlane.Count + s.Infra.Count + s.Storage.Count + s.Workers.Count
	for _, group := range s.ExtraGroups {
		count += group.Count
	}
	return count
}
