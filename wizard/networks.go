package wizard

import (
	"fmt"
	"net/netip"
	"strconv"

	"exoshift/state"
	"exoshift/wizard/capacity"
	"exoshift/wizard/instancetype"
	"exoshift/wizard/recognize"
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
			return NewProblem(value+" is out of range", allowed, "")
		}
		return nil
	}
}

// newCountRule also allows 0: none of these machines.
func newCountRule(low, high int) rule {
	inRange := newRangeRule(low, high)
	return func(value string) []Problem {
		faults := inRange(value)
		if n, err := strconv.Atoi(value); faults == nil || err == nil && n == 0 {
			return nil
		}
		faults[0].Allowed = "0, or " + faults[0].Allowed
		return faults
	}
}

func validateRange(value string) []Problem {
	prefix, err := netip.ParsePrefix(value)
	switch {
	case err != nil:
		return NewProblem(Quote(value)+" is not a valid CIDR", "CIDR notation, e.g. 10.0.0.0/16", recognize.Range(value))
	case prefix.Addr().Is4In6(): // some programs parse it as IPv4 with that prefix length, others as IPv6
		return NewProblem(Quote(value)+" is an IPv4-mapped IPv6 range", "CIDR notation, e.g. 10.0.0.0/16", "")
	case prefix.Masked() != prefix:
		return NewProblem(Quote(value)+" has host bits set", "the network address", prefix.Masked().String())
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
func validateServiceRange(value string) []Problem { return validateSize(value, 12, 32) }

func validateSize(value string, shortest, longest int) []Problem {
	if faults := validateIPv4Range(value); faults != nil {
		return faults
	}
	switch bits := netip.MustParsePrefix(value).Bits(); {
	case bits < shortest:
		return NewProblem(Quote(value)+" is too large", fmt.Sprintf("a prefix of /%d or longer", shortest), "")
	case bits > longest:
		return NewProblem(Quote(value)+" is too small", fmt.Sprintf("a prefix of /%d or shorter", longest), "")
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
		return WithField(key, NewProblem(fmt.Sprintf("a /%d per node does not fit into %s", own, pods),
			fmt.Sprintf("%d or more", pods.Bits()), ""))
	}
	if room, nodes := 1<<(own-pods.Bits()), capacity.CountNodes(spec.Sizing); nodes > room {
		return WithField(key, NewProblem(fmt.Sprintf("%s has room for %d nodes with a /%d each; %d are required", pods, room, own, nodes),
			"a longer prefix, or a larger network.podCIDR", ""))
	}
	return nil
}

// openshift-install has no manifests of Cilium, so a source is required. Its content is checked during the installation;
// with Lieutenant the catalog is compiled before.
func checkCiliumSource(spec state.Spec) []Problem {
	if spec.Network.CNI != cilium || spec.Syn.CatalogDir != "" || spec.OpenShift.ManifestsDir != "" || hasLieutenant(spec) {
		return nil
	}
	return WithField(cniKey, NewProblem("Cilium requires manifests from a catalog or a directory",
		"Cilium with syn.lieutenantURL, syn.catalogDir or openshift.manifestsDir, or OVNKubernetes", ""))
}

// While nodes are replaced, old and new ones have an address each.
func checkPrivateRoom(spec state.Spec) []Problem {
	if room, nodes := capacity.ComputePrivate(spec); room > 0 && nodes >= room {
		return WithField(privateKey, NewProblem(fmt.Sprintf("%s gives out %d addresses; %d nodes and one that replaces another need one each", spec.Network.PrivateNetwork, room, nodes), "a larger range", ""))
	}
	return nil
}

// The fields of address ranges.
const (
	podKey      = "network.podCIDR"
	serviceKey  = "network.serviceCIDR"
	nodeKey     = "network.nodeCIDR"
	customerKey = "network.customerNetworks"
	privateKey  = "network.privateNetwork"
)

const rangeSource = "Your choice, or ask your network team. Keep the default unless your networks use the range."

func listNetworkFields() []Field {
	return []Field{
		{Key: podKey, Title: "Pod network", Example: "10.128.0.0/14", Required: true, rule: validateIPv4Range,
			Screen: Network, Advanced: true, Effect: Rebuild, typable: isRangeRune,
			Help:   "CIDR of the pod addresses; each node gets a subnet of it.",
			Why:    "Pods cannot reach external addresses in this range. It cannot be changed later.",
			Source: rangeSource,
			value:  bindText(func(s *state.Spec) *string { return &s.Network.PodCIDR })},
		{Key: "network.hostPrefix", Title: "Host prefix", Example: "23", Required: true, rule: newRangeRule(1, 30),
			Screen: Network, Advanced: true, Effect: Rebuild,
			Help:   "Prefix length of each node's subnet of the pod network: 23 means 510 pods per node.",
			Why:    "A smaller value allows more pods per node and fewer nodes. It cannot be changed later.",
			Source: "Your choice. The default allows 512 nodes in a /14 pod network.",
			value:  bindNumber(func(s *state.Spec) *int { return &s.Network.HostPrefix })},
		{Key: serviceKey, Title: "Service network", Example: "172.30.0.0/16", Required: true, rule: validateServiceRange,
			Screen: Network, Advanced: true, Effect: Rebuild, typable: isRangeRune,
			Help:   "CIDR of the service addresses.",
			Why:    "Pods cannot reach external addresses in this range. It cannot be changed later.",
			Source: rangeSource,
			value:  bindText(func(s *state.Spec) *string { return &s.Network.ServiceCIDR })},
		{Key: nodeKey, Title: "Node network", Example: "10.0.0.0/16", Required: true, rule: validateIPv4Range,
			Screen: Network, Advanced: true, Effect: Rebuild, typable: isRangeRune,
			Help: "OpenShift's machine network. The instances have public addresses of the zone, outside of your ranges: " +
				"no instance is in this range.",
			Why:    "OpenShift requires one and reaches it without the proxy; no other range may overlap it. It matters once instances get private addresses.",
			Source: rangeSource,
			value:  bindText(func(s *state.Spec) *string { return &s.Network.NodeCIDR })},
		{Key: cniKey, Title: "Network plugin", Required: true, Choices: []string{ovnKubernetes, cilium}, Example: ovnKubernetes,
			Screen: Network, Advanced: true, Effect: Rebuild,
			Help:   "OVNKubernetes is part of OpenShift. Cilium requires manifests from Project Syn or from a directory.",
			Why:    "It handles all traffic between pods. It cannot be changed later.",
			Source: "Your choice. Use Cilium only with Project Syn, or with its manifests in a directory.",
			value:  bindText(func(s *state.Spec) *string { return &s.Network.CNI })},
		{Key: customerKey, Title: "Customer networks", Example: "192.168.0.0/16, 10.9.0.0/24", rule: validateRange,
			Screen: Network, Effect: NoEffect, typable: isRangesRune,
			Help:   "Networks that pods must reach; the cluster's ranges must not overlap them.",
			Why:    "Pods cannot reach a network that overlaps a range of the cluster. This cannot be fixed later.",
			Source: "Your network team. Leave it empty if pods only need the internet.",
			value:  bindList(func(s *state.Spec) *[]string { return &s.Network.CustomerNetworks })},
		{Key: privateKey, Title: "Private network", Example: "172.18.200.0/24", rule: func(value string) []Problem { return validateSize(value, 16, 28) },
			Screen: Network, Advanced: true, Effect: Adds, typable: isRangeRune,
			Help:   "CIDR of a private network that all nodes but the masters are attached to, by a second interface. Empty: none.",
			Why:    "Pods reach what you attach to it, such as databases. The nodes keep their public addresses, and security groups do not filter it.",
			Source: "Your choice. The first quarter is not given out: it is for what has a fixed address.",
			value:  bindText(func(s *state.Spec) *string { return &s.Network.PrivateNetwork })},
	}
}

func listDNSFields() []Field {
	return []Field{
		{Key: "dns.zone", Title: "DNS zone", Required: true, Choices: []string{"managed"}, Example: "managed",
			Screen: Network, Advanced: true, Effect: Rebuild,
			Help:   "managed: Exoscale DNS hosts the cluster's zone.",
			Why:    "Nodes and users resolve the cluster's names in this zone.",
			Source: "The only option so far.",
			value:  bindText(func(s *state.Spec) *string { return &s.DNS.Zone })},
		{Key: "dns.delegation", Title: "Delegation", Required: true, Choices: []string{"manual"}, Example: "manual",
			Screen: Network, Advanced: true, Effect: NoEffect,
			Help:   "manual: you add NS records to the base domain; the installation shows them and waits.",
			Why:    "Without these records, the cluster's zone does not resolve.",
			Source: "The only option so far. Find out who can change the base domain before you start.",
			value:  bindText(func(s *state.Spec) *string { return &s.DNS.Delegation })},
		{Key: "dns.appsDomain", Title: "Apps domain", Example: "apps.c-demo-1.example.net", rule: validateDomain,
			Screen: Network, Advanced: true, Effect: Rebuild, typable: isDomainRune,
			Help:   "Parent domain of the applications' names. Empty: apps.<cluster domain>.",
			Why:    "If it is outside the cluster's zone, you create its wildcard DNS record yourself.",
			Source: "Your choice. Leave it empty for the default.",
			value:  bindText(func(s *state.Spec) *string { return &s.DNS.AppsDomain })},
		{Key: "dns.acme", Title: "ACME certificates", Example: "true",
			Screen: Network, Advanced: true, Effect: Adds,
			Help:   "Whether the API and the ingress get ACME certificates once Project Syn runs.",
			Why:    "Without them, browsers and clients do not trust the cluster's certificates.",
			Source: "Your choice. Requires Project Syn.",
			value:  bindSwitch(func(s *state.Spec) *bool { return &s.DNS.ACME })},
	}
}

func listLoadBalancerFields() []Field {
	return []Field{
		{Key: "loadBalancer.strategy", Title: "Load balancing", Required: true, Example: haproxyPair,
			Screen: Network, Advanced: true, Effect: Rebuild, Choices: []string{haproxyPair, "dns-round-robin"},
			Help: "haproxy-pair: two machines with HAProxy behind two elastic IPs, for the API and the ingress. " +
				"dns-round-robin: DNS names all nodes, without load balancers.",
			Why:    "The pair removes a failed node within seconds. With DNS alone, clients time out on it before they try the next.",
			Source: "Your choice. Use dns-round-robin for tests only.",
			value:  bindText(func(s *state.Spec) *string { return &s.LoadBalancer.Strategy })},
		{Key: InternalKey, Title: "Internal API access", Required: true, Example: state.InternalAddresses,
			Screen: Network, Advanced: true, Effect: Applied, when: hasLoadBalancers, Choices: []string{state.InternalAddresses, state.InternalElasticIP},
			Help: "addresses: nodes reach api-int at the load balancers' own addresses. " +
				"elastic-ip: nodes use the elastic IP of the API, like external clients.",
			Why: "Only the cluster's nodes may fetch node configuration. Exoscale's documentation is ambiguous about source addresses " +
				"behind an elastic IP; if they change, no node starts.",
			Source: "Use addresses, unless exoshift conformance has verified elastic-ip in this zone.",
			value:  bindText(func(s *state.Spec) *string { return &s.LoadBalancer.Internal })},
		{Key: "loadBalancer.proxyProtocol", Title: "PROXY protocol", Example: "true",
			Screen: Network, Advanced: true, Effect: Applied, when: hasLoadBalancers,
			Help:   "Whether the load balancers pass client addresses to the routers. After a change the routers restart, one after the other.",
			Why:    "Without it, applications see the load balancer's address instead of the client's.",
			Source: "The application owners know whether they need client addresses.",
			value:  bindSwitch(func(s *state.Spec) *bool { return &s.LoadBalancer.ProxyProtocol })},
	}
}

// InternalKey is the key of the way that the cluster's own machines take to the API.
const InternalKey = "loadBalancer.internal"

// The load balancing strategy with own load balancers.
const haproxyPair = "haproxy-pair"

func hasLoadBalancers(spec state.Spec) bool { return !spec.IsRoundRobin() }
