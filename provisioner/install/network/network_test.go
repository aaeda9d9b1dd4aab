package network

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = "ch-gva-2"
	s.OpenShift.Version, s.OpenShift.SSHKey = "4.20.5", "ssh-ed25519 AAAA"
	return s
}

func TestSecurityGroups_RulesReferToKnownGroups(t *testing.T) {
	groups := map[string]bool{}
	specs := BuildSecurityGroups(spec())
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

func TestSecurityGroups_WithoutLoadBalancers(t *testing.T) {
	s := spec()
	s.LoadBalancer.Strategy = "dns-round-robin"
	open := map[string]bool{}
	for _, group := range BuildSecurityGroups(s) {
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
		if diff := cmp.Diff(c.want, listMachineNames(s, c.machine)); diff != "" {
			t.Errorf("%s: %s", c.machine.Name, diff)
		}
	}
}

func TestDelegation_ComparesEachServer(t *testing.T) {
	dns := &DNS{zone: state.Zone{NameServers: []string{"ns1.exoscale.ch", "ns1.exoscale.com"}}}
	d := NewDelegation(spec(), nil, nil, 0, dns, nil)
	for want, has := range map[string][]string{
		"":                                       {"ns1.exoscale.com", "ns1.exoscale.ch"},
		"does not delegate c-1.example.net yet":  nil,
		"missing: ns1.exoscale.com; wrong: none": {"ns1.exoscale.ch"},
		"missing: none; wrong: ns.other.example": {"ns1.exoscale.com", "ns1.exoscale.ch", "ns.other.example"},
		"missing: ns1.exoscale.com; wrong: ns1.exoscale.c": {"ns1.exoscale.ch", "ns1.exoscale.c"},
	} {
		err := d.compareServers("example.net", has)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", has, err, want)
		}
	}
	const records = "The zone example.net needs exactly these NS records:\nc-1.example.net. 3600 IN NS ns1.exoscale.ch.\nc-1.example.net. 3600 IN NS ns1.exoscale.com."
	if got := d.formatRecords(); got != records {
		t.Errorf("records: %s", got)
	}
}

func TestRoleGroups_WorkersRunRoutersWithoutInfra(t *testing.T) {
	s := spec()
	s.Sizing.Infra.Count = 0
	if role := s.RouterRole(); role != state.RoleWorker {
		t.Errorf("routers on %s", role)
	}
	if diff := cmp.Diff([]string{groupAll, groupWorker, groupInfra}, listRoleGroups(s, state.RoleWorker)); diff != "" {
		t.Error(diff)
	}
}
