package wizard

import (
	"net/netip"

	"exoshift/state"
)

// Capacity is what the chosen address ranges hold, and what of it the cluster needs. A number is 0 where a range cannot
// be read.
type Capacity struct {
	Nodes       int // that the pod network has a piece for
	PodsPerNode int // that have an address in a node's piece
	Pods        int // on all these nodes
	Services    int
	Wanted      int // nodes of the cluster
}

// ComputeCapacity calculates what the ranges of a Spec hold.
func ComputeCapacity(spec state.Spec) Capacity {
	held := Capacity{Wanted: countNodes(spec), Services: countHosts(spec.Network.ServiceCIDR)}
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

// countHosts counts the addresses of an IPv4 range without its first and its last.
func countHosts(cidr string) int {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil || !prefix.Addr().Is4() {
		return 0
	}
	return max(1<<(32-prefix.Bits())-2, 0)
}
