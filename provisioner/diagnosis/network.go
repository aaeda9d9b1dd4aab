package diagnosis

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

// networkRules are about ways that are closed or lead astray.
func networkRules() []Rule {
	return []Rule{{
		ID:         "load-balancer-blocked",
		Cause:      "The API runs on the bootstrap machine, but requests do not come through to it by the API's name.",
		Fix:        "Look at a load balancer; HAProxy's log tells which servers it takes for dead:\n{subject} sudo journalctl --no-pager -u haproxy -n 50",
		Confidence: Medium,
		Patience:   3 * time.Minute,
		Explains:   []string{"rules-missing"},
		Blind:      true,
		signature:  loadBalancerBlocked,
	}, {
		ID:         "machine-config-blocked",
		Cause:      "Machines cannot fetch their configuration: the way to the machine config server, port 22623, is closed.",
		Fix:        rerun,
		Confidence: High,
		Patience:   time.Minute,
		Explains:   []string{"rules-missing", "machine-silent", "worker-config-unserved"},
		Blind:      true,
		signature:  machineConfigBlocked,
	}, {
		ID:         "rules-missing",
		Cause:      "Rules of the security groups that the cluster needs are missing.",
		Fix:        rerun,
		Confidence: Medium,
		Patience:   5 * time.Minute,
		General:    true,
		Blind:      true,
		signature:  func(m *moment) clue { return clue{evidence: m.Closed} },
	}, {
		ID:         "address-clash",
		Cause:      "Addresses that the cluster has to reach lie in its own networks of pods or services, so its packets never leave it.",
		Fix:        "Choose a network.podCIDR and a network.serviceCIDR without these addresses. They cannot be changed later:\nexoshift destroy --dir {folder}\nThen install again.",
		Confidence: High,
		Patience:   time.Minute,
		Blind:      true,
		signature:  addressClash,
	}}
}

// closed returns what is closed of the way to a port of a group of machines.
func (m *moment) closed(port string, groups ...string) []string {
	var closed []string
	for _, sentence := range m.Closed {
		here := slices.ContainsFunc(groups, func(group string) bool { return strings.Contains(sentence, "_"+group+" ") })
		if here && strings.Contains(sentence, "port "+port+"/") {
			closed = append(closed, sentence)
		}
	}
	return closed
}

const (
	loadBalancers = "load_balancers"
	controlPlane  = "control_plane"
)

// loadBalancerBlocked compares two ways to the same server. A wrong name or certificate is another matter.
func loadBalancerBlocked(m *moment) clue {
	api, direct := m.Seen.Probes.API, m.Seen.Probes.Direct
	if !failed(api) || api.Layer == state.LayerDNS || api.Layer == state.LayerTLS {
		return clue{}
	}
	evidence := append(reached("on the bootstrap machine's own address", direct), said("by name", api))
	if closed := m.closed("6443", m.entrance()); len(closed) > 0 {
		return clue{evidence: append(closed, evidence...), sure: true, fix: rerun,
			cause: "Requests to the API do not come through: port 6443 of the load balancers is closed."}
	}
	balancers := m.balancers()
	if !direct.OK || len(balancers) == 0 {
		return clue{}
	}
	return clue{evidence: evidence, subject: balancers[:1]}
}

// entrance is the group of the machines that the API's name leads to.
func (m *moment) entrance() string {
	if m.Spec.RoundRobin() {
		return controlPlane
	}
	return loadBalancers
}

// balancers returns the commands that open a shell on each load balancer.
func (m *moment) balancers() []string {
	var commands []string
	for _, machine := range m.Machines {
		if machine.Labels[state.LabelRole] == string(state.RoleLoadBalancer) && machine.Address != "" {
			commands = append(commands, "ssh ubuntu@"+machine.Address)
		}
	}
	return commands
}

func machineConfigBlocked(m *moment) clue {
	closed := m.closed("22623", loadBalancers, controlPlane)
	if len(closed) == 0 {
		return clue{}
	}
	waiting := append(namesOf(m.masters.silent), namesOf(m.others.silent)...)
	if len(waiting) == 0 {
		return clue{}
	}
	return clue{evidence: append(closed, "never heard of: "+few(waiting)), subject: waiting}
}

// addressClash compares the networks that exist inside of the cluster only with the addresses that it needs outside.
func addressClash(m *moment) clue {
	var evidence []string
	networks := m.innerNetworks()
	for _, needed := range m.neededAddresses() {
		for what, network := range networks {
			if network.Contains(needed.address) {
				evidence = append(evidence, fmt.Sprintf("%s has %s, which lies in the cluster's network of %s, %s", needed.name, needed.address, what, network))
			}
		}
	}
	slices.Sort(evidence)
	return clue{evidence: evidence}
}

// innerNetworks returns the networks of the cluster by what they are for. Those of OVN-Kubernetes between nodes are its
// defaults.
func (m *moment) innerNetworks() map[string]netip.Prefix {
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

// needed is an address outside of the cluster that it has to reach.
type needed struct {
	name    string
	address netip.Addr
}

func (m *moment) neededAddresses() []needed {
	var all []needed
	add := func(name, text string) {
		if address, err := netip.ParseAddr(text); err == nil {
			all = append(all, needed{name, address})
		}
	}
	add("the API", m.Facts.APIAddress)
	add("the ingress", m.Facts.IngressAddress)
	for _, machine := range m.Machines {
		add(machine.Name, machine.Address)
	}
	return all
}
