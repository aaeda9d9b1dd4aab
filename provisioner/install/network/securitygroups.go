package network

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"exoshift/provisioner"
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
	groupBootstrap     = "bootstrap" // only temporary rules: see package bootstrap
)

// Ports that several groups know.
const (
	PortAPI           = 6443
	portMachineConfig = 22623
	PortJournal       = 19531 // of the bootstrap machine: systemd-journal-gatewayd
	portHealth        = 8404  // load balancers: the elastic IPs' health check, plain HTTP
)

// SecurityGroups creates the cluster's security groups and knows their IDs.
type SecurityGroups struct {
	spec    state.Spec
	cloud   Cloud
	created *provisioner.Milestone // all groups exist

	mu  sync.Mutex        // guards ids
	ids map[string]string // by name
}

// NewSecurityGroups returns the security groups of a cluster.
func NewSecurityGroups(spec state.Spec, cloud Cloud) *SecurityGroups {
	return &SecurityGroups{spec: spec, cloud: cloud, created: provisioner.NewMilestone(), ids: map[string]string{}}
}

// StepSecurityGroups is the ID of the step that runs Ensure.
const StepSecurityGroups = "security-groups"

// Ensure creates the groups before their rules, which refer to each other.
func (g *SecurityGroups) Ensure(ctx context.Context, report provisioner.Report) error {
	defer g.created.Miss()
	groups := BuildSecurityGroups(g.spec)
	bare := make([]state.SecurityGroup, len(groups))
	for n, group := range groups {
		bare[n] = state.SecurityGroup{Name: group.Name, Description: group.Description}
	}
	ensure := func(ctx context.Context, group state.SecurityGroup) error { return g.ensure(ctx, report, group) }
	if err := provisioner.ForEach(ctx, bare, ensure); err != nil {
		return err
	}
	g.created.Reach()
	groups = slices.DeleteFunc(groups, func(group state.SecurityGroup) bool { return len(group.Rules) == 0 })
	return provisioner.ForEach(ctx, groups, ensure)
}

func (g *SecurityGroups) ensure(ctx context.Context, report provisioner.Report, group state.SecurityGroup) error {
	id, action, err := g.cloud.EnsureSecurityGroup(ctx, group)
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.ids[group.Name] = id
	g.mu.Unlock()
	if len(group.Rules) == 0 || action == state.Updated {
		report.EmitObject(state.KindSecurityGroup, group.Name, id, string(action))
	}
	return nil
}

// WaitCreated waits until the groups exist, which machines can be started in before the groups have their rules.
func (g *SecurityGroups) WaitCreated(ctx context.Context) error {
	reached, err := g.created.Wait(ctx)
	if err == nil && !reached {
		return provisioner.NotReached(StepSecurityGroups)
	}
	return err
}

// ListIDs returns the IDs of the groups of a machine; they exist once WaitCreated has returned.
func (g *SecurityGroups) ListIDs(role state.Role) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var ids []string
	for _, name := range ListGroupNames(g.spec, role) {
		ids = append(ids, g.ids[name])
	}
	return ids
}

// ListClosedPorts returns the rules that the zone does not have now, a sentence each.
func (g *SecurityGroups) ListClosedPorts(ctx context.Context) ([]string, error) {
	var closed []string
	for _, group := range BuildSecurityGroups(g.spec) {
		missing, err := g.cloud.ListMissingRules(ctx, group)
		if err != nil {
			return nil, err
		}
		for _, rule := range missing {
			closed = append(closed, fmt.Sprintf("port %s is blocked: security group %s lacks the rule for the %s", formatPorts(rule), group.Name, rule.Description))
		}
	}
	return closed, nil
}

func formatPorts(rule state.Rule) string {
	if rule.From == rule.To {
		return fmt.Sprintf("%d/%s", rule.From, rule.Protocol)
	}
	return fmt.Sprintf("%d-%d/%s", rule.From, rule.To, rule.Protocol)
}

// ListGroupNames returns the names of the security groups of a machine.
func ListGroupNames(spec state.Spec, role state.Role) []string {
	var names []string
	for _, group := range listRoleGroups(spec, role) {
		names = append(names, spec.ObjectName(group))
	}
	return names
}

func listRoleGroups(spec state.Spec, role state.Role) []string {
	groups := []string{groupAll}
	switch role {
	case state.RoleLoadBalancer:
		groups = append(groups, groupLoadBalancers)
	case state.RoleBootstrap:
		groups = append(groups, groupControlPlane, groupBootstrap)
	case state.RoleMaster:
		groups = append(groups, groupControlPlane)
	case state.RoleStorage:
		groups = append(groups, groupStorage)
	case state.RoleInfra:
	default:
		groups = append(groups, groupWorker)
	}
	if role == spec.RouterRole() {
		groups = append(groups, groupInfra)
	}
	return groups
}

// BuildSecurityGroups returns the security groups of a cluster with every rule, but for temporary ones. The rules are
// those of this kind run with on Exoscale today, plus those of OpenShift's own list of ports.
func BuildSecurityGroups(spec state.Spec) []state.SecurityGroup {
	b := groupBuilder{spec}
	return []state.SecurityGroup{
		{Name: spec.ObjectName(groupAll), Description: spec.ObjectDescription("every machine"), Rules: b.buildMachineRules()},
		{Name: spec.ObjectName(groupLoadBalancers), Description: spec.ObjectDescription("load balancers"), Rules: b.buildBalancerRules()},
		{Name: spec.ObjectName(groupControlPlane), Description: spec.ObjectDescription("masters and bootstrap"), Rules: b.buildControlPlaneRules()},
		{Name: spec.ObjectName(groupInfra), Description: spec.ObjectDescription("routers"), Rules: b.buildRouterRules()},
		{Name: spec.ObjectName(groupStorage), Description: spec.ObjectDescription("storage"), Rules: []state.Rule{
			b.newGroupRule(groupAll, "tcp", 3300, 3300, "Ceph monitors"),
			b.newGroupRule(groupAll, "tcp", 6789, 6789, "Ceph monitors, old protocol"),
			b.newGroupRule(groupAll, "tcp", 6800, 7300, "Ceph daemons"),
		}},
		{Name: spec.ObjectName(groupWorker), Description: spec.ObjectDescription("workers"), Rules: append(
			newPublicRules("tcp", 30000, 32767, "node ports"), newPublicRules("udp", 30000, 32767, "node ports")...,
		)},
		NewBootstrapGroup(spec),
	}
}

// ListNodeGroups returns the security groups of a worker, with every rule. The Spec need not have a cluster ID yet.
func ListNodeGroups(spec state.Spec) []state.SecurityGroup {
	return slices.DeleteFunc(BuildSecurityGroups(spec), func(g state.SecurityGroup) bool {
		return g.Name != spec.ObjectName(groupAll) && g.Name != spec.ObjectName(groupWorker)
	})
}

// NewBootstrapGroup returns the security group of the bootstrap machine, which has only temporary rules.
func NewBootstrapGroup(spec state.Spec) state.SecurityGroup {
	return state.SecurityGroup{Name: spec.ObjectName(groupBootstrap), Description: spec.ObjectDescription("bootstrap machine")}
}

// groupBuilder builds the rules of the groups.
type groupBuilder struct{ spec state.Spec }

func (b groupBuilder) buildMachineRules() []state.Rule {
	return []state.Rule{
		{Protocol: "icmp", ICMPType: 8, CIDR: "0.0.0.0/0", Description: "ping"},
		b.newGroupRule(groupAll, "tcp", 22, 22, "SSH"),
		b.newGroupRule(groupAll, "tcp", 1936, 1936, "router health"),
		b.newGroupRule(groupAll, "tcp", 2112, 2112, "Cilium metrics"),
		b.newGroupRule(groupAll, "tcp", 4240, 4240, "Cilium health"),
		b.newGroupRule(groupAll, "tcp", 4244, 4245, "Hubble"),
		b.newGroupRule(groupAll, "tcp", 6942, 6942, "Cilium operator metrics"),
		b.newGroupRule(groupAll, "tcp", 9000, 9999, "host services"),
		b.newGroupRule(groupAll, "tcp", 10250, 10259, "Kubernetes"),
		b.newGroupRule(groupAll, "tcp", 30000, 32767, "node ports"),
		b.newGroupRule(groupAll, "udp", 4789, 4789, "VXLAN"),
		b.newGroupRule(groupAll, "udp", 6081, 6081, "Geneve"),
		b.newGroupRule(groupAll, "udp", 8472, 8472, "Cilium VXLAN"),
		b.newGroupRule(groupAll, "udp", 9000, 9999, "host services"),
		b.newGroupRule(groupAll, "udp", 30000, 32767, "node ports"),
	}
}

// The machine config server is open to the cluster's own machines only: it serves what a node needs to join.
func (b groupBuilder) buildControlPlaneRules() []state.Rule {
	rules := []state.Rule{
		b.newGroupRule(groupAll, "tcp", 2379, 2380, "etcd"),
		b.newGroupRule(groupAll, "tcp", 9978, 9980, "etcd metrics"),
		b.newGroupRule(groupAll, "tcp", PortAPI, PortAPI, "Kubernetes API"),
	}
	clients := groupLoadBalancers
	if b.spec.IsRoundRobin() {
		clients = groupAll
		rules = append(rules, newPublicRules("tcp", PortAPI, PortAPI, "Kubernetes API")...)
	}
	return append(rules,
		b.newGroupRule(clients, "tcp", portMachineConfig, portMachineConfig, "machine config server"),
		b.newGroupRule(clients, "tcp", portMachineConfig+1, portMachineConfig+1, "machine config server, plain HTTP"),
	)
}

func (b groupBuilder) buildRouterRules() []state.Rule {
	if b.spec.IsRoundRobin() {
		return buildIngressRules()
	}
	return []state.Rule{
		b.newGroupRule(groupLoadBalancers, "tcp", 80, 80, "ingress"),
		b.newGroupRule(groupLoadBalancers, "tcp", 443, 443, "ingress"),
	}
}

func (b groupBuilder) buildBalancerRules() []state.Rule {
	rules := append(buildIngressRules(), newPublicRules("tcp", PortAPI, PortAPI, "Kubernetes API")...)
	rules = append(rules, newPublicRules("tcp", 22, 22, "SSH")...)
	return append(rules,
		state.Rule{Protocol: "tcp", From: portHealth, To: portHealth, CIDR: "0.0.0.0/0", Description: "health checks of the elastic IPs"},
		b.newGroupRule(groupAll, "tcp", portMachineConfig, portMachineConfig, "machine config server"),
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

func (b groupBuilder) newGroupRule(group, protocol string, from, to int, what string) state.Rule {
	return state.Rule{Protocol: protocol, From: from, To: to, Group: b.spec.ObjectName(group), Description: what}
}
