package installer

import (
	"fmt"
	"math"
	"net/netip"
)

const ovnKubernetes = "OVNKubernetes"

type reservedNetwork struct {
	prefix netip.Prefix
	owner  string
}

// listReserved returns the ranges that OVN-Kubernetes itself uses from 4.18 on.
func (n networking) listReserved() []reservedNetwork {
	join := "100.64.0.0/16"
	if n.OVN != nil && n.OVN.IPv4 != nil {
		join = defaultTo(n.OVN.IPv4.InternalJoinSubnet, join)
	}
	var list []reservedNetwork
	for _, own := range []struct{ cidr, owner string }{
		{join, "join subnet"}, {"100.88.0.0/16", "transit subnet"}, {"169.254.0.0/17", "masquerade subnet"},
		{"fd98::/64", "join subnet"}, {"fd97::/64", "transit subnet"}, {"fd69::/112", "masquerade subnet"},
	} {
		if prefix, err := netip.ParsePrefix(own.cidr); err == nil {
			list = append(list, reservedNetwork{prefix, "the OVNKubernetes " + own.owner + " " + own.cidr})
		}
	}
	return list
}

// check validates the address ranges; nodes is the number of machines that need a pod range.
func (n networking) check(found *validationErrors, nodes int, warn func(string)) {
	switch n.NetworkType {
	case "OpenShiftSDN", "Kuryr":
		found.addInvalid("networking.networkType", n.NetworkType, "networkType %s is not supported, please use %s", n.NetworkType, ovnKubernetes)
	}
	var taken []reservedNetwork
	if n.NetworkType == ovnKubernetes {
		taken = n.listReserved()
	}
	claim := func(field, owner, cidr string) (netip.Prefix, bool) {
		prefix, ok := parseCanonical(found, field, cidr)
		for _, other := range taken {
			if ok && other.prefix.Overlaps(prefix) {
				found.addInvalid(field, cidr, "%s must not overlap with %s", owner, other.owner)
			}
		}
		if docker := netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 17}), 16); ok && docker.Overlaps(prefix) {
			warn(fmt.Sprintf("%s: %s overlaps with default Docker Bridge subnet", field, cidr))
		}
		taken = append(taken, reservedNetwork{prefix, owner + " " + cidr})
		return prefix, ok
	}
	for i, network := range n.MachineNetwork {
		claim(fmt.Sprintf("networking.machineNetwork[%d]", i), "machine network", network.CIDR)
	}
	n.checkServices(found, claim)
	n.checkPods(found, claim, nodes)
}

// parseCanonical refuses a range whose address has bits beyond its prefix.
func parseCanonical(found *validationErrors, field, cidr string) (netip.Prefix, bool) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		found.addInvalid(field, cidr, "failed to Parse cidr string to net.IPNet: invalid CIDR address: %s", cidr)
		return prefix, false
	}
	if masked := prefix.Masked(); masked != prefix {
		found.addInvalid(field, cidr, "invalid network address. got %s, expecting %s", prefix, masked)
		return prefix, false
	}
	return prefix, true
}

// networkClaim registers a range for an owner; false if it is invalid.
type networkClaim func(field, owner, cidr string) (netip.Prefix, bool)

func (n networking) checkServices(found *validationErrors, claim networkClaim) {
	families := map[bool]bool{}
	for i, cidr := range n.ServiceNetwork {
		field := fmt.Sprintf("networking.serviceNetwork[%d]", i)
		prefix, ok := claim(field, "service network", cidr)
		switch is4 := prefix.Addr().Is4(); {
		case !ok:
		case is4 && prefix.Bits() < 12:
			found.addInvalid(field, cidr, "subnet size for IPv4 service network must be /12 or greater (/16 is recommended)")
		case families[is4]:
			found.addInvalid("networking.serviceNetwork", cidr, "only one service network can be specified")
		default:
			families[is4] = true
		}
	}
}

func (n networking) checkPods(found *validationErrors, claim networkClaim, nodes int) {
	room, hostPrefix := 0, 0
	for i, network := range n.ClusterNetwork {
		field := fmt.Sprintf("networking.clusterNetwork[%d]", i)
		prefix, ok := claim(field+".cidr", "cluster network", network.CIDR)
		switch {
		case !ok:
		case !prefix.Addr().Is4() && network.HostPrefix != 64:
			found.addInvalid(field+".hostPrefix", network.HostPrefix, "cluster network host subnetwork prefix must be 64 for IPv6 networks")
		case network.HostPrefix < prefix.Bits() || network.HostPrefix > prefix.Addr().BitLen():
			found.addInvalid(field+".hostPrefix", network.HostPrefix, "cluster network host subnetwork prefix must not be larger size than CIDR %s", network.CIDR)
		case !prefix.Addr().Is4():
			room += math.MaxInt32
		case hostPrefix != 0 && network.HostPrefix != hostPrefix:
			found.addInvalid(field+".hostPrefix", network.HostPrefix, "cluster network host subnetwork prefix must be the same value for IPv4 networks")
		default:
			hostPrefix = network.HostPrefix
			room += 1 << (network.HostPrefix - prefix.Bits())
		}
	}
	if len(*found) == 0 && nodes > room {
		found.addInvalid("networking.clusterNetwork", n.ClusterNetwork[0].CIDR, "cluster network has room for %d nodes, %d are needed", room, nodes)
	}
}
