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

const cniKey = "network.cni"

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

func validateRange(value string) []Problem {
	prefix, err := netip.ParsePrefix(value)
	switch {
	case err != nil:
		return newProblem(quote(value)+" is no address range", "CIDR notation, e.g. 10.0.0.0/16", "")
	case prefix.Addr().Is4In6(): // some programs parse it as IPv4 with that prefix length, others as IPv6
		return newProblem(quote(value)+" is an IPv4 range written as an IPv6 one", "CIDR notation, e.g. 10.0.0.0/16", "")
	case prefix.Masked() != prefix:
		return newProblem(quote(value)+" has bits set beyond its prefix", "the address of the network itself", prefix.Masked().String())
	}
	return nil
}

func validateIPv4Range(value string) []Problem {
	if faults := validateRange(value); faults != nil {
		return faults
	}
	if !netip.MustParsePrefix(value).Addr().Is4() {
		return newProblem(quote(value)+" is not an IPv4 range", "CIDR notation, e.g. 10.0.0.0/16", "")
	}
	return nil
}

// The rules are those of openshift-install.
func validateServiceRange(value string) []Problem {
	if faults := validateIPv4Range(value); faults != nil {
		return faults
	}
	if netip.MustParsePrefix(value).Bits() < 12 {
		return newProblem(quote(value)+" is too wide", "a prefix of /12 or longer", "")
	}
	return nil
}

// Each node needs a part of the pod network.
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

// openshift-install has no manifests of Cilium, so a source is required. Its content is checked during the installation;
// with Lieutenant the catalog is compiled before.
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
