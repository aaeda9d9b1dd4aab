package install

import "exoshift/state"

// Groups of machines as security groups see them; a group's full name has the cluster's ID in front.
const (
	groupAll           = "all_machines"
	groupControlPlane  = "control_plane"
	groupInfra         = "infra"
	groupStorage       = "storage"
	groupLoadBalancers = "load_balancers"
)

// Ports that the recipe itself relies on.
const (
	portAPI           = 6443
	portMachineConfig = 22623
	portHealth        = 8404 // load balancers: the elastic IPs' health check, plain HTTP
	anywhere          = "0.0.0.0/0"
)

// securityGroups returns the groups with every rule, in an order in which they can be created.
func (i *Installation) securityGroupSpecs() []state.SecurityGroup {
	return []state.SecurityGroup{
		{Name: i.name(groupAll), Description: "every machine of the cluster", Rules: i.rulesAmongMachines()},
		{Name: i.name(groupLoadBalancers), Description: "the load balancers", Rules: i.rulesLoadBalancers()},
		{Name: i.name(groupControlPlane), Description: "masters and bootstrap", Rules: i.rulesControlPlane()},
		{Name: i.name(groupInfra), Description: "routers", Rules: []state.Rule{
			i.from(groupLoadBalancers, "tcp", 80, 80, "ingress"),
			i.from(groupLoadBalancers, "tcp", 443, 443, "ingress"),
		}},
		{Name: i.name(groupStorage), Description: "storage", Rules: []state.Rule{
			i.from(groupAll, "tcp", 3300, 3300, "Ceph monitors"),
			i.from(groupAll, "tcp", 6789, 6789, "Ceph monitors, old protocol"),
			i.from(groupAll, "tcp", 6800, 7300, "Ceph daemons"),
		}},
	}
}

func (i *Installation) rulesAmongMachines() []state.Rule {
	return []state.Rule{
		{Protocol: "icmp", ICMPType: 8, CIDR: anywhere, Description: "ping"},
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

func (i *Installation) rulesControlPlane() []state.Rule {
	return []state.Rule{
		i.from(groupAll, "tcp", 2379, 2380, "etcd"),
		i.from(groupAll, "tcp", portAPI, portAPI, "Kubernetes API"),
		i.from(groupLoadBalancers, "tcp", portMachineConfig, portMachineConfig, "machine config server"),
	}
}

// rulesLoadBalancers opens what the world may see. The machine config server is for the cluster's machines only: it
// hands out what a node needs to join.
func (i *Installation) rulesLoadBalancers() []state.Rule {
	public := func(port int, what string) state.Rule {
		return state.Rule{Protocol: "tcp", From: port, To: port, CIDR: anywhere, Description: what}
	}
	return []state.Rule{
		public(portAPI, "Kubernetes API"),
		public(80, "ingress"),
		public(443, "ingress"),
		public(portHealth, "health checks of the elastic IPs"),
		i.from(groupAll, "tcp", portMachineConfig, portMachineConfig, "machine config server"),
	}
}

func (i *Installation) from(group, protocol string, from, to int, what string) state.Rule {
	return state.Rule{Protocol: protocol, From: from, To: to, Group: i.name(group), Description: what}
}
