package install

import (
	"slices"

	"exoshift/state"
)

// Groups of machines as security groups see them; a group's full name has the cluster's ID in front.
const (
	groupAll           = "all_machines"
	groupControlPlane  = "control_plane"
	groupInfra         = "infra"
	groupStorage       = "storage"
	groupWorker        = "worker"
	groupLoadBalancers = "load_balancers"
	groupBootstrap     = "bootstrap" // only temporary rules: see inside.go
)

// Ports that the recipe itself relies on.
const (
	portAPI           = 6443
	portMachineConfig = 22623
	portJournal       = 19531 // of the bootstrap machine: systemd-journal-gatewayd
	portHealth        = 8404  // load balancers: the elastic IPs' health check, plain HTTP
)

// securityGroupSpecs returns the groups with every rule. The rules are those that clusters of this kind run with on
// Exoscale today, and what OpenShift's own list of ports has beyond them.
func (i *Installation) securityGroupSpecs() []state.SecurityGroup {
	return []state.SecurityGroup{
		{Name: i.name(groupAll), Description: i.about("every machine"), Rules: i.rulesAmongMachines()},
		{Name: i.name(groupLoadBalancers), Description: i.about("load balancers"), Rules: i.rulesLoadBalancers()},
		{Name: i.name(groupControlPlane), Description: i.about("masters and bootstrap"), Rules: i.rulesControlPlane()},
		{Name: i.name(groupInfra), Description: i.about("routers"), Rules: i.rulesRouters()},
		{Name: i.name(groupStorage), Description: i.about("storage"), Rules: []state.Rule{
			i.from(groupAll, "tcp", 3300, 3300, "Ceph monitors"),
			i.from(groupAll, "tcp", 6789, 6789, "Ceph monitors, old protocol"),
			i.from(groupAll, "tcp", 6800, 7300, "Ceph daemons"),
		}},
		{Name: i.name(groupWorker), Description: i.about("workers"), Rules: append(
			public("tcp", 30000, 32767, "node ports"), public("udp", 30000, 32767, "node ports")...,
		)},
		i.bootstrapGroup(),
	}
}

// NodeGroups are the security groups of a worker, with every rule. A cluster without a name yet has such groups, too.
func NodeGroups(spec state.Spec) []state.SecurityGroup {
	i := &Installation{spec: spec}
	return slices.DeleteFunc(i.securityGroupSpecs(), func(g state.SecurityGroup) bool {
		return g.Name != i.name(groupAll) && g.Name != i.name(groupWorker)
	})
}

// bootstrapGroup is the bootstrap machine's own. Its rules come and go.
func (i *Installation) bootstrapGroup() state.SecurityGroup {
	return state.SecurityGroup{Name: i.name(groupBootstrap), Description: i.about("bootstrap machine")}
}

// about describes an object of the cluster to people who look at it elsewhere.
func (i *Installation) about(what string) string { return what + " of cluster " + i.spec.Cluster.ID }

func (i *Installation) rulesAmongMachines() []state.Rule {
	return []state.Rule{
		{Protocol: "icmp", ICMPType: 8, CIDR: "0.0.0.0/0", Description: "ping"},
		i.from(groupAll, "tcp", 22, 22, "SSH"),
		i.from(groupAll, "tcp", 1936, 1936, "router health"),
		i.from(groupAll, "tcp", 2112, 2112, "Cilium metrics"),
		i.from(groupAll, "tcp", 4240, 4240, "Cilium health"),
		i.from(groupAll, "tcp", 4244, 4245, "Hubble"),
		i.from(groupAll, "tcp", 6942, 6942, "Cilium operator metrics"),
		i.from(groupAll, "tcp", 9000, 9999, "host services"),
		i.from(groupAll, "tcp", 10250, 10259, "Kubernetes"),
		i.from(groupAll, "tcp", 30000, 32767, "node ports"),
		i.from(groupAll, "udp", 4789, 4789, "VXLAN"),
		i.from(groupAll, "udp", 6081, 6081, "Geneve"),
		i.from(groupAll, "udp", 8472, 8472, "Cilium VXLAN"),
		i.from(groupAll, "udp", 9000, 9999, "host services"),
		i.from(groupAll, "udp", 30000, 32767, "node ports"),
	}
}

// rulesControlPlane keeps the machine config server for the cluster's own machines: it hands out what a node needs to
// join.
func (i *Installation) rulesControlPlane() []state.Rule {
	rules := []state.Rule{
		i.from(groupAll, "tcp", 2379, 2380, "etcd"),
		i.from(groupAll, "tcp", 9978, 9980, "etcd metrics"),
		i.from(groupAll, "tcp", portAPI, portAPI, "Kubernetes API"),
	}
	clients := groupLoadBalancers
	if i.spec.RoundRobin() {
		clients = groupAll
		rules = append(rules, public("tcp", portAPI, portAPI, "Kubernetes API")...)
	}
	return append(rules,
		i.from(clients, "tcp", portMachineConfig, portMachineConfig, "machine config server"),
		i.from(clients, "tcp", portMachineConfig+1, portMachineConfig+1, "machine config server, plain HTTP"),
	)
}

func (i *Installation) rulesRouters() []state.Rule {
	if i.spec.RoundRobin() {
		return publicIngress()
	}
	return []state.Rule{
		i.from(groupLoadBalancers, "tcp", 80, 80, "ingress"),
		i.from(groupLoadBalancers, "tcp", 443, 443, "ingress"),
	}
}

// rulesLoadBalancers opens what the world may see.
func (i *Installation) rulesLoadBalancers() []state.Rule {
	rules := append(publicIngress(), public("tcp", portAPI, portAPI, "Kubernetes API")...)
	rules = append(rules, public("tcp", 22, 22, "SSH")...)
	return append(rules,
		state.Rule{Protocol: "tcp", From: portHealth, To: portHealth, CIDR: "0.0.0.0/0", Description: "health checks of the elastic IPs"},
		i.from(groupAll, "tcp", portMachineConfig, portMachineConfig, "machine config server"),
	)
}

// publicIngress opens the ingress; QUIC comes over UDP.
func publicIngress() []state.Rule {
	var rules []state.Rule
	for _, port := range []int{80, 443} {
		rules = append(rules, public("tcp", port, port, "ingress")...)
		rules = append(rules, public("udp", port, port, "ingress")...)
	}
	return rules
}

// public opens ports to everybody, by IPv4 and IPv6.
func public(protocol string, from, to int, what string) []state.Rule {
	return []state.Rule{
		{Protocol: protocol, From: from, To: to, CIDR: "0.0.0.0/0", Description: what},
		{Protocol: protocol, From: from, To: to, CIDR: "::/0", Description: what},
	}
}

func (i *Installation) from(group, protocol string, from, to int, what string) state.Rule {
	return state.Rule{Protocol: protocol, From: from, To: to, Group: i.name(group), Description: what}
}
