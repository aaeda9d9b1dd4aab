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

// newRangeRule wants a number in these bounds.
func newRangeRule(low, high int) rule {
	allowed := fmt.Sprintf("%d to %d", low, high)
	switch {
	case low == high:
		allowed = fmt.Sprintf("exactly %d", low)
	case high == maxCount || high == maxDisk:
		allowed = fmt.Sprintf("%d or more", low)
	}
	return func(value string) []Problem {
		if n, err := strconv.Atoi(value); err != nil || n < low || n > high {
			return newProblem(value+" is out of bounds", allowed, "")
		}
		return nil
	}
}

// validateRange wants an address range in its canonical form.
func validateRange(value string) []Problem {
	prefix, err := netip.ParsePrefix(value)
	switch {
	case err != nil:
		return newProblem(quote(value)+" is no address range", "CIDR notation, e.g. 10.0.0.0/16", "")
	case prefix.Addr().Is4In6(): // some programs read IPv4 in it, with that prefix, and others IPv6
		return newProblem(quote(value)+" is an IPv4 range written as an IPv6 one", "CIDR notation, e.g. 10.0.0.0/16", "")
	case prefix.Masked() != prefix:
		return newProblem(quote(value)+" has bits set beyond its prefix", "the address of the network itself", prefix.Masked().String())
	}
	return nil
}

// validateIPv4Range wants a canonical range of IPv4 addresses.
func validateIPv4Range(value string) []Problem {
	if faults := validateRange(value); faults != nil {
		return faults
	}
	if !netip.MustParsePrefix(value).Addr().Is4() {
		return newProblem(quote(value)+" is not an IPv4 range", "CIDR notation, e.g. 10.0.0.0/16", "")
	}
	return nil
}

// validateServiceRange wants what openshift-install accepts for services.
func validateServiceRange(value string) []Problem {
	if faults := validateIPv4Range(value); faults != nil {
		return faults
	}
	if netip.MustParsePrefix(value).Bits() < 12 {
		return newProblem(quote(value)+" is too wide", "a prefix of /12 or longer", "")
	}
	return nil
}

// checkHostPrefixes wants a piece of the pod network for each node.
func checkHostPrefixes(spec state.Spec) []Problem {
	const key = "network.hostPrefix"
	pods, err := netip.ParsePrefix(spec.Network.PodCIDR)
	own := spec.Network.HostPrefix
	if err != nil || !pods.Addr().Is4() || own < 1 || own > 30 {
		return nil
	}
	if own < pods.Bits() {
		return withField(key, newProblem(fmt.Sprintf("a /%d for each node does not fit into %s", own, pods),
			fmt.Sprintf("%d or more", pods.Bits()), ""))
	}
	if room, nodes := 1<<(own-pods.Bits()), countNodes(spec); nodes > room {
		return withField(key, newProblem(fmt.Sprintf("%s has room for %d nodes of a /%d each, and %d are wanted", pods, room, own, nodes),
			"a longer prefix, or a wider network.podCIDR", ""))
	}
	return nil
}

// checkCiliumSource wants a place that Cilium's manifests come from: openshift-install has none. What is there is looked at
// when it is installed; with Lieutenant the catalog is compiled before.
func checkCiliumSource(spec state.Spec) []Problem {
	if spec.Network.CNI != cilium || spec.Syn.CatalogDir != "" || spec.OpenShift.ManifestsDir != "" || hasLieutenant(spec) {
		return nil
	}
	return withField(cniKey, newProblem("Cilium's manifests come from a catalog or a directory, and none is named",
		"Cilium with syn.lieutenantURL, syn.catalogDir or openshift.manifestsDir, or OVNKubernetes", ""))
}

func countNodes(spec state.Spec) int {
	s := spec.Sizing
	count := s.ControlPlane.Count + s.Infra.Count + s.Storage.Count + s.Workers.Count
	for _, group := range s.ExtraGroups {
		count += group.Count
	}
	return count
}
