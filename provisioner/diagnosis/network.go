package diagnosis

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

func buildNetworkRules() []Rule {
	return []Rule{{
		ID:          "load-balancer-blocked",
		Cause:       "The API runs on the bootstrap machine, but is not reachable by its name.",
		Fix:         "Check a load balancer; HAProxy's log shows which servers are down:\n{subject} sudo journalctl --no-pager -u haproxy -n 50",
		Confidence:  Medium,
		Disposition: Repair,
		Blocks:      Bootstrap,
		Restores:    RuleParts,
		HoldFor:     3 * time.Minute,
		WithoutAPI:  true,
		detect:      detectBlockedLoadBalancer,
	}, {
		ID:          "machine-config-blocked",
		Cause:       "Machines cannot fetch their configuration: port 22623 of the machine config server is blocked.",
		Fix:         rerunHint,
		Confidence:  High,
		Disposition: Repair,
		Blocks:      ControlPlane,
		Within:      joiningMasters,
		Restores:    RuleParts,
		HoldFor:     time.Minute,
		Explains:    []string{"machine-silent", "worker-config-unserved"},
		WithoutAPI:  true,
		detect:      detectBlockedMachineConfig,
	}, {
		ID: "source-rewritten",
		Cause: "Connections through the elastic IP lose their source address, so the security groups reject the cluster's own machines, " +
			"and no node gets its configuration.",
		Fix: "Set loadBalancer.internal to addresses and run the same command again: the nodes then reach the load balancers directly, and " +
			"continue without a restart.",
		Confidence:  Medium,
		Disposition: Wait,
		Waits:       "it is what remains when nothing else explains that no node comes, and a run that would end well must not be stopped for that",
		Blocks:      ControlPlane,
		Within:      joiningMasters,
		detect:      detectRewrittenSource,
	}, {
		ID:          "rules-missing",
		Cause:       "Security group rules that the cluster requires are missing.",
		Fix:         rerunHint,
		Confidence:  High,
		Disposition: Repair,
		Blocks:      ControlPlane,
		Restores:    RuleParts,
		HoldFor:     2 * time.Minute,
		WithoutAPI:  true,
		detect: func(m *inputIndex) detection {
			missing := listOtherMissingRules(m)
			return detection{evidence: slices.Clone(missing), objects: missing}
		},
	}, {
		ID:          "elastic-ip-detached",
		Cause:       "An elastic IP is not attached to its load balancer.",
		Fix:         rerunHint,
		Confidence:  High,
		Disposition: Repair,
		Blocks:      Bootstrap,
		Restores:    AttachmentParts,
		HoldFor:     time.Minute,
		WithoutAPI:  true,
		detect: func(m *inputIndex) detection {
			return detection{evidence: slices.Clone(m.Detached), objects: m.Detached}
		},
	}, {
		ID:          "address-clash",
		Cause:       "Addresses that the cluster must reach are in its own pod or service network, so packets to them never leave the cluster.",
		Fix:         "Choose a network.podCIDR and a network.serviceCIDR without these addresses. They cannot be changed later:\nexoshift destroy --dir {folder}\nThen install again.",
		Confidence:  High,
		Disposition: Stop,
		Blocks:      Operators,
		HoldFor:     time.Minute,
		WithoutAPI:  true,
		detect:      detectAddressConflict,
	}}
}

func findClosedRules(m *inputIndex, port string, groups ...string) []string {
	var closed []string
	for _, sentence := range m.MissingRules {
		here := slices.ContainsFunc(groups, func(group string) bool { return strings.Contains(sentence, "_"+group+" ") })
		if here && strings.Contains(sentence, "port "+port+"/") {
			closed = append(closed, sentence)
		}
	}
	return closed
}

// listOtherMissingRules returns the missing rules that no other finding is about.
func listOtherMissingRules(m *inputIndex) []string {
	lines := slices.Concat(detectBlockedLoadBalancer(m).objects, detectBlockedMachineConfig(m).objects)
	return slices.DeleteFunc(slices.Clone(m.MissingRules), func(rule string) bool { return slices.Contains(lines, rule) })
}

const (
	loadBalancers = "load_balancers"
	controlPlane  = "control_plane"
)

// detectBlockedLoadBalancer compares two paths to the same server. A wrong name or certificate has rules of its own.
func detectBlockedLoadBalancer(m *inputIndex) detection {
	api, direct := m.Snapshot.Probes.API, m.Snapshot.Probes.Direct
	if !hasFailed(api) || api.Layer == state.LayerTLS {
		return detection{}
	}
	evidence := append(formatReachable("on the bootstrap machine's own address", direct), formatProbe("by name", api))
	if closed := findClosedRules(m, "6443", getAPIGroup(m)); len(closed) > 0 {
		return detection{evidence: append(slices.Clone(closed), evidence...), objects: closed, sure: true, fix: rerunHint,
			cause: "The API is not reachable: port 6443 of the load balancers is blocked."}
	}
	balancers := listBalancerCommands(m)
	if len(m.Detached) > 0 || api.Layer == state.LayerDNS {
		return detection{} // which have rules of their own
	}
	if !direct.OK || len(balancers) == 0 {
		return detection{}
	}
	return detection{evidence: evidence, subject: balancers[:1]}
}

func getAPIGroup(m *inputIndex) string {
	if m.Spec.IsRoundRobin() {
		return controlPlane
	}
	return loadBalancers
}

func listBalancerCommands(m *inputIndex) []string {
	var commands []string
	for _, machine := range m.Machines {
		if machine.Labels[state.LabelRole] == string(state.RoleLoadBalancer) && machine.Address != "" {
			commands = append(commands, "ssh ubuntu@"+machine.Address)
		}
	}
	return commands
}

func detectBlockedMachineConfig(m *inputIndex) detection {
	closed := findClosedRules(m, "22623", loadBalancers, controlPlane)
	if len(closed) == 0 {
		return detection{}
	}
	waiting := append(collectNames(m.masters.missing), collectNames(m.others.missing)...)
	if len(waiting) == 0 {
		return detection{}
	}
	return detection{evidence: append(slices.Clone(closed), "no contact: "+joinLimited(waiting)), objects: closed, subject: waiting}
}

// Masters ask for their first certificates at most this long after the temporary API is there.
const rewrittenSourceDelay = 9 * time.Minute

// detectRewrittenSource detects a cluster whose nodes have to fetch their configuration through the elastic IP, and of which
// none has, although nothing else is wrong.
func detectRewrittenSource(m *inputIndex) detection {
	if m.Spec.IsRoundRobin() || m.Spec.HasInternalAddresses() || len(m.MissingRules) > 0 {
		return detection{}
	}
	silent := append(collectNames(m.masters.missing), collectNames(m.others.missing)...)
	if m.masters.known+m.others.known > 0 || len(m.masters.missing) == 0 ||
		!m.hasReachedFor(state.PhaseTemporaryAPI, m.adaptToPace(rewrittenSourceDelay)) || !m.isStalled(rewrittenSourceDelay) {
		return detection{}
	}
	return detection{evidence: []string{
		fmt.Sprintf("api-int.%s resolves to %s, the elastic IP of the API", m.Spec.Domain(), m.Facts.APIAddress),
		"port 22623 of the load balancers is open to the cluster's own machines only, and no rule is missing",
		fmt.Sprintf("the API answers for %s; no contact: %s", m.formatAge(state.PhaseTemporaryAPI), joinLimited(silent)),
	}}
}

// detectAddressConflict compares the cluster-internal networks only with the addresses that the cluster needs outside.
func detectAddressConflict(m *inputIndex) detection {
	var evidence []string
	networks := listClusterNetworks(m)
	for _, needed := range listRequiredAddresses(m) {
		for what, network := range networks {
			if network.Contains(needed.address) {
				evidence = append(evidence, fmt.Sprintf("%s has %s, which is in the cluster's network of %s, %s", needed.name, needed.address, what, network))
			}
		}
	}
	slices.Sort(evidence)
	return detection{evidence: evidence}
}

func listClusterNetworks(m *inputIndex) map[string]netip.Prefix {
	texts := map[string]string{"pods": m.Spec.Network.PodCIDR, "services": m.Spec.Network.ServiceCIDR}
	if m.Spec.Network.CNI == "OVNKubernetes" {
		texts["joins between nodes"], texts["transit between nodes"] = "100.64.0.0/16", "100.88.0.0/16"
	}
	networks := map[string]netip.Prefix{}
	for what, text := range texts {
		if network, err := netip.ParsePrefix(text); err == nil {
			networks[what] = network
		}
	}
	return networks
}

type requiredAddress struct {
	name    string
	address netip.Addr
}

func listRequiredAddresses(m *inputIndex) []requiredAddress {
	var all []requiredAddress
	add := func(name, text string) {
		if address, err := netip.ParseAddr(text); err == nil {
			all = append(all, requiredAddress{name, address})
		}
	}
	add("the API", m.Facts.APIAddress)
	add("the ingress", m.Facts.IngressAddress)
	for _, machine := range m.Machines {
		add(machine.Name, machine.Address)
	}
	return all
}
