package install

import (
	"slices"

	"exoshift/state"
)

// Short names of security groups; a full name has the cluster's ID in front.
const (
	groupAll           = "all_machines"
	groupControlPlane  = "control_plane"
	groupInfra         = "infra"
	groupStorage       = "storage"
	groupWorker        = "worker"
	groupLoadBalancers = "load_balancers"
	groupBootstrap     = "bootstrap" // only temporary rules: see bootstrap_access.go
)

const (
	portAPI           = 6443
	portMachineConfig = 22623
	portJournal       = 19531 // of the bootstrap machine: systemd-journal-gatewayd
	portHealth        = 8404  // load balancers: the elastic IPs' health check, plain HTTP
)

// The rules are those that clusters of this kind run with on Exoscale today, plus those of OpenShift's own list of ports.
func (i *Installation) buildSecurityGroups() []state.SecurityGroup {
	return []state.SecurityGroup{
		{Name: i.spec.ObjectName(groupAll), Description: i.spec.ObjectDescription("every machine"), Rules: i.buildMachineRules()},
		{Name: i.spec.ObjectName(groupLoadBalancers), Description: i.spec.ObjectDescription("load balancers"), Rules: i.buildBalancerRules()},
		{Name: i.spec.ObjectName(groupControlPlane), Description: i.spec.ObjectDescription("masters and bootstrap"), Rules: i.buildControlPlaneRules()},
		{Name: i.spec.ObjectName(groupInfra), Description: i.spec.ObjectDescription("routers"), Rules: i.buildRouterRules()},
		{Name: i.spec.ObjectName(groupStorage), Description: i.spec.ObjectDescription("storage"), Rules: []state.Rule{
			i.newGroupRule(groupAll, "tcp", 3300, 3300, "Ceph monitors"),
			i.newGroupRule(groupAll, "tcp", 6789, 6789, "Ceph monitors, old protocol"),
			i.newGroupRule(groupAll, "tcp", 6800, 7300, "Ceph daemons"),
		}},
		{Name: i.spec.ObjectName(groupWorker), Description: i.spec.ObjectDescription("workers"), Rules: append(
			newPublicRules("tcp", 30000, 32767, "node ports"), newPublicRules("udp", 30000, 32767, "node ports")...,
		)},
		i.buildBootstrapGroup(),
	}
}

// ListNodeGroups returns the security groups of a worker, with every rule. The Spec need not have a cluster ID yet.
func ListNodeGroups(spec state.Spec) []state.SecurityGroup {
	i := &Installation{spec: spec, facts: &state.FactsStore{}}
	return slices.DeleteFunc(i.buildSecurityGroups(), func(g state.SecurityGroup) bool {
		return g.Name != i.spec.ObjectName(groupAll) && g.Name != i.spec.ObjectName(groupWorker)
	})
}

func (i *Installation) buildBootstrapGroup() state.SecurityGroup {
	return state.SecurityGroup{Name: i.spec.ObjectName(groupBootstrap), Description: i.spec.ObjectDescription("bootstrap machine")}
}

func (i *Installation) buildMachineRules() []state.Rule {
	return []state.Rule{
		{Protocol: "icmp", ICMPType: 8, CIDR: "0.0.0.0/0", Description: "ping"},
		i.newGroupRule(groupAll, "tcp", 22, 22, "SSH"),
		i.newGroupRule(groupAll, "tcp", 1936, 1936, "router health"),
		i.newGroupRule(groupAll, "tcp", 2112, 2112, "Cilium metrics"),
		i.newGroupRule(groupAll, "tcp", 4240, 4240, "Cilium health"),
		i.newGroupRule(groupAll, "tcp", 4244, 4245, "Hubble"),
		i.newGroupRule(groupAll, "tcp", 6942, 6942, "Cilium operator metrics"),
		i.newGroupRule(groupAll, "tcp", 9000, 9999, "host services"),
		i.newGroupRule(groupAll, "tcp", 10250, 10259, "Kubernetes"),
		i.newGroupRule(groupAll, "tcp", 30000, 32767, "node ports"),
		i.newGroupRule(groupAll, "udp", 4789, 4789, "VXLAN"),
		i.newGroupRule(groupAll, "udp", 6081, 6081, "Geneve"),
		i.newGroupRule(groupAll, "udp", 8472, 8472, "Cilium VXLAN"),
		i.newGroupRule(groupAll, "udp", 9000, 9999, "host services"),
		i.newGroupRule(groupAll, "udp", 30000, 32767, "node ports"),
	}
}

// The machine config server is open to the cluster's own machines only: it serves what a node needs to join.
func (i *Installation) buildControlPlaneRules() []state.Rule {
	rules := []state.Rule{
		i.newGroupRule(groupAll, "tcp", 2379, 2380, "etcd"),
		i.newGroupRule(groupAll, "tcp", 9978, 9980, "etcd metrics"),
		i.newGroupRule(groupAll, "tcp", portAPI, portAPI, "Kubernetes API"),
	}
	clients := groupLoadBalancers
	if i.spec.IsRoundRobin() {
		clients = groupAll
		rules = append(rules, newPublicRules("tcp", portAPI, portAPI, "Kubernetes API")...)
	}
	return append(rules,
		i.newGroupRule(clients, "tcp", portMachineConfig, portMachineConfig, "machine config server"),
		i.newGroupRule(clients, "tcp", portMachineConfig+1, portMachineConfig+1, "machine config server, plain HTTP"),
	)
}

func (i *Installation) buildRouterRules() []state.Rule {
	if i.spec.IsRoundRobin() {
		return buildIngressRules()
	}
	return []state.Rule{
		i.newGroupRule(groupLoadBalancers, "tcp", 80, 80, "ingress"),
		i.newGroupRule(groupLoadBalancers, "tcp", 443, 443, "ingress"),
	}
}

func (i *Installation) buildBalancerRules() []state.Rule {
	rules := append(buildIngressRules(), newPublicRules("tcp", portAPI, portAPI, "Kubernetes API")...)
	rules = append(rules, newPublicRules("tcp", 22, 22, "SSH")...)
	return append(rules,
		state.Rule{Protocol: "tcp", From: portHealth, To: portHealth, CIDR: "0.0.0.0/0", Description: "health checks of the elastic IPs"},
		i.newGroupRule(groupAll, "tcp", portMachineConfig, portMachineConfig, "machine config server"),
	)
}

func buildIngressRules() []state.Rule {
	var rules []state.Rule
	for _, port := range []int{80, 443} {
		rules = append(rules, newPublicRules("tcp", port, port, "ingress")...)
		rules = append(rules, newPublicRules("udp", port, port, "ingress")...)
	}
	return rules
}

func newPublicRules(protocol string, from, to int, what string) []state.Rule {
	return []state.Rule{
		{Protocol: protocol, From: from, To: to, CIDR: "0.0.0.0/0", Description: what},
		{Protocol: protocol, From: from, To: to, CIDR: "::/0", Description: what},
	}
}

func (i *Installation) newGroupRule(group, protocol string, from, to int, what string) state.Rule {
	return state.Rule{Protocol: protocol, From: from, To: to, Group: i.spec.ObjectName(group), Description: what}
}
