package machines

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/provisioner/install/generation"
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

func TestMachines_NinthInSecondAffinityGroup(t *testing.T) {
	s := spec()
	s.Sizing.Workers.Count = 9
	m := New(Deps{
		Spec: s, SecurityGroups: network.NewSecurityGroups(s, nil), Generator: &generation.Generator{}, DeployTarget: func() string { return "" },
		AntiAffinity: &AntiAffinityGroups{spec: s, ids: map[string]string{"c-1_worker": "first", "c-1_worker_2": "second"}},
	})
	workers := s.Machines(state.RoleWorker)
	for n, want := range map[int]string{0: "first", 7: "first", 8: "second"} {
		if got := m.newInstance(workers[n], state.Template{}).AntiAffinityGroups; !cmp.Equal(got, []string{want}) {
			t.Errorf("worker %d is in %v", n, got)
		}
	}
	var names []string
	for _, group := range listAffinityGroups(s) {
		if group.role == state.RoleWorker {
			names = append(names, group.formatName(s))
		}
	}
	if diff := cmp.Diff([]string{"c-1_worker", "c-1_worker_2"}, names); diff != "" {
		t.Error(diff)
	}
}
