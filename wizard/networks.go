package wizard

import (
	"fmt"
	"net/netip"
	"strconv"

	"exoshift/state"
	"exoshift/wizard/instancetype"
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
	case high == maxCount || high == instancetype.MaxDisk:
		allowed = fmt.Sprintf("%d or more", low)
	}
	return func(value string) []Problem {
		if n, err := strconv.Atoi(value); err != nil || n < low || n > high {
			return NewProblem(value+" is out of bounds", allowed, "")
		}
		return nil
	}
}

func validateRange(value string) []Problem {
	prefix, err := netip.ParsePrefix(value)
	switch {
	case err != nil:
		return NewProblem(Quote(value)+" is no address range", "CIDR notation, e.g. 10.0.0.0/16", "")
	case prefix.Addr().Is4In6(): // some programs parse it as IPv4 with that prefix length, others as IPv6
		return NewProblem(Quote(value)+" is an IPv4 range written as an IPv6 one", "CIDR notation, e.g. 10.0.0.0/16", "")
	case prefix.Masked() != prefix:
		return NewProblem(Quote(value)+" has bits set beyond its prefix", "the address of the network itself", prefix.Masked().String())
	}
	return nil
}

func validateIPv4Range(value string) []Problem {
	if faults := validateRange(value); faults != nil {
		return faults
	}
	if !netip.MustParsePrefix(value).Addr().Is4() {
		return NewProblem(Quote(value)+" is not an IPv4 range", "CIDR notation, e.g. 10.0.0.0/16", "")
	}
	return nil
}

// The rules are those of openshift-install.
func validateServiceRange(value string) []Problem {
	if faults := validateIPv4Range(value); faults != nil {
		return faults
	}
	if netip.MustParsePrefix(value).Bits() < 12 {
		return NewProblem(Quote(value)+" is too wide", "a prefix of /12 or longer", "")
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
		return WithField(key, NewProblem(fmt.Sprintf("a /%d for each node does not fit into %s", own, pods),
			fmt.Sprintf("%d or more", pods.Bits()), ""))
	}
	if room, nodes := 1<<(own-pods.Bits()), countNodes(spec); nodes > room {
		return WithField(key, NewProblem(fmt.Sprintf("%s has room for %d nodes of a /%d each, and %d are wanted", pods, room, own, nodes),
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
	return WithField(cniKey, NewProblem("Cilium's manifests come from a catalog or a directory, and none is named",
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

// The fields of address ranges.
const (
	podKey      = "network.podCIDR"
	serviceKey  = "network.serviceCIDR"
	nodeKey     = "network.nodeCIDR"
	customerKey = "network.customerNetworks"
)

const rangeSource = "You choose it, or ask those who run your networks. The default is fine if nothing of yours uses the range."

func listNetworkFields() []Field {
	return []Field{
		{Key: podKey, Title: "Pod network", Example: "10.128.0.0/14", Required: true, rule: validateIPv4Range,
			Screen: Network, Advanced: true, Effect: Rebuild, typable: isRangeRune,
			Help:   "The range of the pods' addresses; each node gets a piece of it.",
			Why:    "Pods cannot reach anything outside whose address is in this range. It cannot be changed later.",
			Source: rangeSource,
			value:  bindText(func(s *state.Spec) *string { return &s.Network.PodCIDR })},
		{Key: "network.hostPrefix", Title: "Host prefix", Example: "23", Required: true, rule: newRangeRule(1, 30),
			Screen: Network, Advanced: true, Effect: Rebuild,
			Help:   "The prefix length of each node's piece of the pod network: 23 is 510 pods a node.",
			Why:    "A small number means many pods a node and few nodes, a large one the opposite. It cannot be changed later.",
			Source: "You choose it. The default has room for 512 nodes in a pod network of /14.",
			value:  bindNumber(func(s *state.Spec) *int { return &s.Network.HostPrefix })},
		{Key: serviceKey, Title: "Service network", Example: "172.30.0.0/16", Required: true, rule: validateServiceRange,
			Screen: Network, Advanced: true, Effect: Rebuild, typable: isRangeRune,
			Help:   "The range of the services' addresses.",
			Why:    "Pods cannot reach anything outside whose address is in this range. It cannot be changed later.",
			Source: rangeSource,
			value:  bindText(func(s *state.Spec) *string { return &s.Network.ServiceCIDR })},
		{Key: nodeKey, Title: "Node network", Example: "10.0.0.0/16", Required: true, rule: validateIPv4Range,
			Screen: Network, Advanced: true, Effect: Rebuild, typable: isRangeRune,
			Help:   "The range that the nodes' addresses are in.",
			Why:    "The installation records it as the network of the machines, and the other ranges keep clear of it.",
			Source: rangeSource,
			value:  bindText(func(s *state.Spec) *string { return &s.Network.NodeCIDR })},
		{Key: cniKey, Title: "Network plugin", Required: true, Choices: []string{ovnKubernetes, cilium}, Example: ovnKubernetes,
			Screen: Network, Advanced: true, Effect: Rebuild,
			Help:   "OVNKubernetes comes with OpenShift. Cilium's manifests come from Project Syn, or from a directory of yours that is asked for there.",
			Why:    "It carries all traffic between pods. It cannot be changed later.",
			Source: "You choose it. Take Cilium only with Project Syn, or if you have its manifests in a directory.",
			value:  bindText(func(s *state.Spec) *string { return &s.Network.CNI })},
		{Key: customerKey, Title: "Customer networks", Example: "192.168.0.0/16, 10.9.0.0/24", rule: validateRange,
			Screen: Network, Effect: NoEffect, typable: isRangesRune,
			Help:   "Networks that pods must reach: the cluster's own ranges keep clear of them.",
			Why:    "If a range of the cluster overlaps a network of yours, pods cannot reach that network. That cannot be mended later.",
			Source: "Those who run your networks. Leave it empty if pods only have to reach the internet.",
			value:  bindList(func(s *state.Spec) *[]string { return &s.Network.CustomerNetworks })},
	}
}

func listDNSFields() []Field {
	return []Field{
		{Key: "dns.zone", Title: "DNS zone", Required: true, Choices: []string{"managed"}, Example: "managed",
			Screen: Network, Advanced: true, Effect: Rebuild,
			Help:   "managed: Exoscale serves the cluster's zone.",
			Why:    "Machines and users find the cluster by the records of this zone.",
			Source: "There is only this choice so far.",
			value:  bindText(func(s *state.Spec) *string { return &s.DNS.Zone })},
		{Key: "dns.delegation", Title: "Delegation", Required: true, Choices: []string{"manual"}, Example: "manual",
			Screen: Network, Advanced: true, Effect: NoEffect,
			Help:   "manual: you add the NS records to the base domain; the installation tells which and waits for them.",
			Why:    "Without these records nobody finds the cluster's zone.",
			Source: "There is only this choice so far. Know who can change the base domain before you begin.",
			value:  bindText(func(s *state.Spec) *string { return &s.DNS.Delegation })},
		{Key: "dns.appsDomain", Title: "Domain of the applications", Example: "apps.c-demo-1.example.net", rule: validateDomain,
			Screen: Network, Advanced: true, Effect: Rebuild, typable: isDomainRune,
			Help:   "The domain below which applications get their names. Empty: apps.<cluster domain>.",
			Why:    "The names of all applications end with it. Outside of the cluster's zone, you make its DNS record yourself.",
			Source: "You choose it. Leave it empty if you have no reason to choose another one.",
			value:  bindText(func(s *state.Spec) *string { return &s.DNS.AppsDomain })},
		{Key: "dns.acme", Title: "Certificates by ACME", Example: "true",
			Screen: Network, Advanced: true, Effect: Adds,
			Help:   "Whether the API and the ingress get certificates by ACME once Project Syn runs.",
			Why:    "Without them, browsers and clients do not know the cluster's certificates and warn of them.",
			Source: "You choose it. It needs Project Syn.",
			value:  bindSwitch(func(s *state.Spec) *bool { return &s.DNS.ACME })},
	}
}

func listLoadBalancerFields() []Field {
	return []Field{
		{Key: "loadBalancer.strategy", Title: "Load balancing", Required: true, Example: haproxyPair,
			Screen: Network, Advanced: true, Effect: Rebuild, Choices: []string{haproxyPair, "dns-round-robin"},
			Help: "haproxy-pair: two machines with HAProxy behind two elastic IPs, for the API and the ingress. " +
				"dns-round-robin: DNS names all nodes, without load balancers.",
			Why:    "With the pair, a node that fails is left out within seconds. With DNS alone, clients run into it until they try the next.",
			Source: "You choose it. Take dns-round-robin for trials only.",
			value:  bindText(func(s *state.Spec) *string { return &s.LoadBalancer.Strategy })},
		{Key: InternalKey, Title: "API inside of the cluster", Required: true, Example: state.InternalAddresses,
			Screen: Network, Advanced: true, Effect: Applied, when: hasLoadBalancers, Choices: []string{state.InternalAddresses, state.InternalElasticIP},
			Help: "addresses: the cluster's own machines reach the API, as api-int, at the load balancers' own addresses. " +
				"elastic-ip: they reach it at the elastic IP of the API, as clients outside do.",
			Why: "Only the cluster's machines may fetch the configuration of nodes. Whether the zone still knows them behind an " +
				"elastic IP is documented in two ways; if it does not, no node starts.",
			Source: "Take addresses, unless a run of exoshift conformance in the zone has proven elastic-ip.",
			value:  bindText(func(s *state.Spec) *string { return &s.LoadBalancer.Internal })},
		{Key: "loadBalancer.proxyProtocol", Title: "PROXY protocol", Example: "true",
			Screen: Network, Advanced: true, Effect: Rebuild, when: hasLoadBalancers,
			Help:   "Whether the load balancers tell the routers the addresses of the clients.",
			Why:    "Without it, applications see the load balancer's address in place of the client's.",
			Source: "Ask those who write the applications whether they need the clients' addresses.",
			value:  bindSwitch(func(s *state.Spec) *bool { return &s.LoadBalancer.ProxyProtocol })},
	}
}

// InternalKey is the key of the way that the cluster's own machines take to the API.
const InternalKey = "loadBalancer.internal"

// The load balancing strategy with own load balancers.
const haproxyPair = "haproxy-pair"

func hasLoadBalancers(spec state.Spec) bool { return !spec.IsRoundRobin() }

// Capacity is the size of the chosen address ranges, and what the cluster needs of it. A number is 0 where a range does
// not parse.
type Capacity struct {
	Nodes       int // that get a part of the pod network
	PodsPerNode int // that have an address in a node's part
	Pods        int // on all these nodes
	Services    int
	Wanted      int // nodes of the cluster
}

// ComputeCapacity calculates the capacity of a Spec's ranges.
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

func countHosts(cidr string) int {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil || !prefix.Addr().Is4() {
		return 0
	}
	return max(1<<(32-prefix.Bits())-2, 0)
}
