package state_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

func TestDefault_MachineCount(t *testing.T) {
	spec := state.Default()
	if n := len(spec.Nodes()) + len(spec.Machines(state.RoleLoadBalancer)); n != 15 {
		t.Errorf("%d machines", n)
	}
	want := []state.Machine{{Name: "bootstrap", Role: state.RoleBootstrap, MachineSpec: spec.Sizing.Bootstrap}}
	if diff := cmp.Diff(want, spec.Machines(state.RoleBootstrap)); diff != "" {
		t.Error(diff)
	}
}

func TestNodes_MastersFirst(t *testing.T) {
	spec := state.Spec{Sizing: state.SizingSpec{
		ControlPlane: state.MachineSpec{Count: 1}, Infra: state.MachineSpec{Count: 1}, Workers: state.MachineSpec{Count: 1},
		ExtraGroups: []state.GroupSpec{{Name: "gpu", MachineSpec: state.MachineSpec{Count: 2, Type: "gpu3.small"}}},
	}}
	var names []string
	for _, node := range spec.Nodes() {
		names = append(names, node.Name)
	}
	if diff := cmp.Diff([]string{"master-0", "infra-0", "worker-0", "gpu-0", "gpu-1"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestSpec_Domains(t *testing.T) {
	spec := state.Spec{Cluster: state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}}
	if spec.Domain() != "c-1.example.net" || spec.AppsDomain() != "apps.c-1.example.net" {
		t.Error(spec.Domain(), spec.AppsDomain())
	}
	spec.DNS.AppsDomain = "apps.example.org"
	if spec.AppsDomain() != "apps.example.org" {
		t.Error(spec.AppsDomain())
	}
}

func TestGroup_CountsMachines(t *testing.T) {
	spec := state.Default()
	spec.Sizing.ExtraGroups = []state.GroupSpec{{Name: "gpu", MachineSpec: state.MachineSpec{Type: "gpua30.medium", Count: 2}}}
	for _, strategy := range []string{"haproxy-pair", "dns-round-robin"} {
		spec.LoadBalancer.Strategy = strategy
		for _, role := range append([]state.Role{state.RoleLoadBalancer, state.RoleBootstrap, state.RoleMaster}, spec.ComputeRoles()...) {
			if group, machines := spec.Group(role), spec.Machines(role); group.Count != len(machines) {
				t.Errorf("%s: %d in the group, %d machines of %s", strategy, group.Count, len(machines), role)
			}
		}
	}
}
