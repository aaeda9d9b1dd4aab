package install

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/assets"
	"exoshift/state"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = "ch-gva-2"
	s.OpenShift.Version, s.OpenShift.SSHKey = "4.20.5", "ssh-ed25519 AAAA"
	return s
}

func TestThePlanIsInOrder(t *testing.T) {
	connected := spec()
	connected.Syn.LieutenantURL, connected.DNS.ACME = "https://lieutenant.example.net", true
	for _, s := range []state.Spec{spec(), connected} {
		plan := Steps(s)
		if err := plan.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, step := range plan {
			if step.Title == "" || step.Phase == "" || step.Do == nil {
				t.Errorf("%s lacks a title, a phase or a body", step.ID)
			}
		}
	}
}

func TestEveryRuleRefersToAGroupOfTheRecipe(t *testing.T) {
	groups := map[string]bool{}
	specs := (&Installation{spec: spec(), facts: &state.FactsStore{}}).buildSecurityGroups()
	for _, group := range specs {
		groups[group.Name] = true
	}
	for _, group := range specs {
		for _, rule := range group.Rules {
			if (rule.CIDR == "") == (rule.Group == "") || rule.Group != "" && !groups[rule.Group] {
				t.Errorf("%s: %+v has no peer, two, or an unknown one", group.Name, rule)
			}
		}
	}
}

func TestTheMachineConfigServerIsForTheClustersMachinesOnly(t *testing.T) {
	i := &Installation{spec: spec(), facts: &state.FactsStore{}}
	for _, group := range append(i.buildSecurityGroups(), i.buildAccessGroup(netip.MustParseAddr(own))) {
		for _, rule := range group.Rules {
			if rule.CIDR != "" && rule.From <= portMachineConfig && portMachineConfig <= rule.To {
				t.Errorf("%s opens it to %s", group.Name, rule.CIDR)
			}
		}
	}
}

func TestTheNinthMachineOfARoleGoesIntoASecondAntiAffinityGroup(t *testing.T) {
	s := spec()
	s.Sizing.Workers.Count = 9
	i := &Installation{spec: s, affinity: map[affinityGroup]string{{state.RoleWorker, 0}: "first", {state.RoleWorker, 1}: "second"}}
	workers := s.Machines(state.RoleWorker)
	for n, want := range map[int]string{0: "first", 7: "first", 8: "second"} {
		if got := i.newInstance(workers[n], state.Template{}).AntiAffinityGroups; !cmp.Equal(got, []string{want}) {
			t.Errorf("worker %d is in %v", n, got)
		}
	}
	var names []string
	for _, group := range i.listAffinityGroups() {
		if group.role == state.RoleWorker {
			names = append(names, i.formatAffinityName(group))
		}
	}
	if diff := cmp.Diff([]string{"c-1_worker", "c-1_worker_2"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestASpecWithoutLoadBalancersOpensItsOwnMachines(t *testing.T) {
	s := spec()
	s.LoadBalancer.Strategy = "dns-round-robin"
	i := &Installation{spec: s, facts: &state.FactsStore{}}
	open := map[string]bool{}
	for _, group := range i.buildSecurityGroups() {
		for _, rule := range group.Rules {
			if rule.CIDR == "0.0.0.0/0" {
				open[fmt.Sprint(strings.TrimPrefix(group.Name, "c-1_"), " ", rule.From)] = true
			}
		}
	}
	for _, want := range []string{"control_plane 6443", "infra 80", "infra 443"} {
		if !open[want] {
			t.Errorf("%s is closed", want)
		}
	}
	if machines := s.Machines(state.RoleLoadBalancer); len(machines) > 0 {
		t.Errorf("load balancers: %v", machines)
	}
	for _, c := range []struct {
		machine state.Machine
		want    []string
	}{
		{s.Machines(state.RoleBootstrap)[0], []string{"bootstrap", "api"}},
		{s.Machines(state.RoleMaster)[1], []string{"etcd-1", "api"}},
		{s.Machines(state.RoleInfra)[0], []string{"router", "ingress"}},
		{s.Machines(state.RoleWorker)[0], nil},
	} {
		if diff := cmp.Diff(c.want, i.listMachineNames(c.machine)); diff != "" {
			t.Errorf("%s: %s", c.machine.Name, diff)
		}
	}
}

func TestTheDelegationIsComparedServerByServer(t *testing.T) {
	i := &Installation{spec: spec(), zone: state.Zone{NameServers: []string{"ns1.exoscale.ch", "ns1.exoscale.com"}}}
	for want, has := range map[string][]string{
		"":                                       {"ns1.exoscale.com", "ns1.exoscale.ch"},
		"does not delegate c-1.example.net yet":  nil,
		"missing: ns1.exoscale.com; wrong: none": {"ns1.exoscale.ch"},
		"missing: none; wrong: ns.other.example": {"ns1.exoscale.com", "ns1.exoscale.ch", "ns.other.example"},
		"missing: ns1.exoscale.com; wrong: ns1.exoscale.c": {"ns1.exoscale.ch", "ns1.exoscale.c"},
	} {
		err := i.compareServers("example.net", has)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", has, err, want)
		}
	}
	const records = "The zone example.net needs exactly these NS records:\nc-1.example.net. 3600 IN NS ns1.exoscale.ch.\nc-1.example.net. 3600 IN NS ns1.exoscale.com."
	if got := i.formatDelegation(); got != records {
		t.Errorf("records: %s", got)
	}
}

func TestTheEstimateCountsMachinesDisksAndAddresses(t *testing.T) {
	s := spec()
	for _, role := range []*state.MachineSpec{&s.Sizing.Infra, &s.Sizing.Storage, &s.Sizing.LoadBalancers} {
		role.Count = 0
	}
	s.Sizing.ControlPlane.RootDisk = 120
	s.Sizing.Workers = state.MachineSpec{Type: "standard.huge", Count: 3, RootDisk: 120}
	cost, err := Estimate(s)
	if err != nil || math.Abs(cost.Hour-1.81) > 0.005 { // the worked example of the price list's source
		t.Errorf("%+v, %v", cost, err)
	}
	s.Sizing.Workers.Type = "standard.giant"
	if cost, _ = Estimate(s); !strings.Contains(cost.String(), "not counted for want of a price: standard.giant") {
		t.Error(cost)
	}
}

func TestEveryRestrictedRoleHasAPolicyThatDeniesTheRest(t *testing.T) {
	i := &Installation{spec: spec(), facts: &state.FactsStore{}}
	for _, policy := range assets.ListPolicies() {
		role, err := i.newRole(policy)
		if err != nil || role.Policy.DefaultServiceStrategy != "deny" || len(role.Policy.Services) != 1 {
			t.Errorf("%s: %+v, %v", policy, role, err)
		}
		for _, service := range role.Policy.Services {
			if service.Type != "rules" || len(service.Rules) == 0 {
				t.Errorf("%s: %+v", policy, service)
			}
		}
	}
	role, _ := i.newRole("object_storage")
	const want = "parameters.bucket in ['c-1-logstore', 'c-1-image-registry', 'c-1-cluster-backup']"
	if got := role.Policy.Services["sos"].Rules[0].Expression; got != want {
		t.Errorf("%s", got)
	}
}

func TestWorkersCarryTheRoutersWhereThereIsNoInfra(t *testing.T) {
	s := spec()
	s.Sizing.Infra.Count = 0
	i := &Installation{spec: s, facts: &state.FactsStore{}}
	if role := i.spec.RouterRole(); role != state.RoleWorker {
		t.Errorf("routers on %s", role)
	}
	if diff := cmp.Diff([]string{groupAll, groupWorker, groupInfra}, i.listRoleGroups(state.RoleWorker)); diff != "" {
		t.Error(diff)
	}
}

func TestANodeOfAReplacedMachineIsToldAtOnce(t *testing.T) {
	left := func(node string) state.NodeRequest {
		return state.NodeRequest{Node: node, State: state.RequestPending, BlockedReason: state.SkippedRegistered}
	}
	seen := state.Snapshot{Nodes: []state.NodeStatus{{Name: "worker-1", Ready: true}, {Name: "worker-2"}}}
	seen.Requests = []state.NodeRequest{left("worker-1"), {Node: "worker-2", BlockedReason: "something else"}, left("worker-3")}
	if got := describeReplaced(seen); got != "" {
		t.Errorf("told of nodes in no need: %s", got)
	}
	seen.Requests = []state.NodeRequest{left("worker-2"), left("worker-2")}
	if got := describeReplaced(seen); strings.Count(got, "\noc delete node worker-2") != 1 {
		t.Errorf("told %q", got)
	}
}

func TestEveryNodeThatTheIngressLeadsToHasARouter(t *testing.T) {
	i := &Installation{spec: spec(), facts: &state.FactsStore{}}
	if got := i.countRouters(); got != 2 {
		t.Errorf("%d routers behind load balancers", got)
	}
	i.spec.LoadBalancer = state.LoadBalancerSpec{Strategy: "dns-round-robin", ProxyProtocol: true}
	if got := i.countRouters(); got != 4 || i.isProxied() {
		t.Errorf("%d routers for 4 infra nodes; PROXY protocol: %t", got, i.isProxied())
	}
	if needs := i.listNodeNeeds(); !slices.Contains(needs, "bootstrap-machine") {
		t.Errorf("nodes ask for the API before it has a name: %v", needs)
	}
}
