package install

import (
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/provisioner/install/network"
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

func TestTheNinthMachineOfARoleGoesIntoASecondAntiAffinityGroup(t *testing.T) {
	s := spec()
	s.Sizing.Workers.Count = 9
	i := withFacts(s, Options{}, state.Folder{}, Clients{}, state.Facts{}, nil)
	i.affinity = map[affinityGroup]string{{state.RoleWorker, 0}: "first", {state.RoleWorker, 1}: "second"}
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

func TestTheMachineConfigServerIsForTheClustersMachinesOnly(t *testing.T) {
	i := &Installation{spec: spec(), facts: &state.FactsStore{}}
	const machineConfigServer = 22623
	for _, group := range append(network.BuildSecurityGroups(i.spec), i.buildAccessGroup(netip.MustParseAddr(own))) {
		for _, rule := range group.Rules {
			if rule.CIDR != "" && rule.From <= machineConfigServer && machineConfigServer <= rule.To {
				t.Errorf("%s opens it to %s", group.Name, rule.CIDR)
			}
		}
	}
}
