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
	case prefix.Addr().Is4In6(): // some programs read IPv4 in it, with that prefix, and others IPv6
		return wrong(quote(value)+" is an IPv4 range written as an IPv6 one", "CIDR notation, e.g. 10.0.0.0/16", "")
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
// when it is installed; with Lieutenant the catalog is compiled before.
func ciliumSource(spec state.Spec) []Fault {
	if spec.Network.CNI != cilium || spec.Syn.CatalogDir != "" || spec.OpenShift.ManifestsDir != "" || hasLieutenant(spec) {
		return nil
	}
	return of(cniKey, wrong("Cilium's manifests come from a catalog or a directory, and none is named",
		"Cilium with syn.lieutenantURL, syn.catalogDir or openshift.manifestsDir, or OVNKubernetes", ""))
}

func nodeCount(spec state.Spec) int {
	s := spec.Sizing
	count := s.ControlPlane.Count + s.Infra.Count + s.Storage.Count + s.Workers.Count
	for _, group := range s.ExtraGroups {
		count += group.Count
	}
	return count
}
