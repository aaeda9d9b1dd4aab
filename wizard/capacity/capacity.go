// Package capacity calculates how many nodes, pods and services the chosen address ranges have room for.
package capacity

import (
	"net/netip"

	"exoshift/state"
	"exoshift/state/privatenetwork"
)

// Capacity is the size of the chosen address ranges, and what the cluster needs of it. A number is 0 where a range does
// not parse.
type Capacity struct {
	Nodes       int // that get a part of the pod network
	PodsPerNode int // that have an address in a node's part
	Pods        int // on all these nodes
	Services    int
	Wanted      int // nodes of the cluster
}

// Compute calculates the capacity of a Spec's ranges.
func Compute(spec state.Spec) Capacity {
	held := Capacity{Wanted: CountNodes(spec.Sizing), Services: countHosts(spec.Network.ServiceCIDR)}
	pods, err := netip.ParsePrefix(spec.Network.PodCIDR)
	own := spec.Network.HostPrefix
	if err != nil || !pods.Addr().Is4() || own < pods.Bits() || own > 30 {
		return held
	}
	held.Nodes = 1 << (own - pods.Bits())
	held.PodsPerNode = 1<<(32-own) - 2
	held.Pods = held.Nodes * held.PodsPerNode
	return held
}

func countHosts(cidr string) int {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil || !prefix.Addr().Is4() {
		return 0
	}
	return max(1<<(32-prefix.Bits())-2, 0)
}

// CountNodes returns how many nodes a cluster has.
func CountNodes(s state.SizingSpec) int {
	count := s.ControlPlane.Count + s.Infra.Count + s.Storage.Count + s.Workers.Count
	for _, group := range s.ExtraGroups {
		count += group.Count
	}
	return count
}

// ComputePrivate returns how many addresses the private network gives out, 0 if it does not parse, and how many nodes need one.
func ComputePrivate(spec state.Spec) (room, nodes int) {
	network, err := privatenetwork.New(spec.Network.PrivateNetwork)
	if err != nil {
		return 0, 0
	}
	return network.Room(), CountNodes(spec.Sizing) - spec.Sizing.ControlPlane.Count
}
