package access

import (
	"testing"

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

func TestRoles_HaveDenyingPolicy(t *testing.T) {
	for _, policy := range assets.ListPolicies() {
		role, err := newRole(spec(), policy)
		if err != nil || role.Policy.DefaultServiceStrategy != "deny" || len(role.Policy.Services) != 1 {
			t.Errorf("%s: %+v, %v", policy, role, err)
		}
		for _, service := range role.Policy.Services {
			if service.Type != "rules" || len(service.Rules) == 0 {
				t.Errorf("%s: %+v", policy, service)
			}
		}
	}
	role, _ := newRole(spec(), "object_storage")
	const want = "parameters.bucket in ['c-1-logstore', 'c-1-image-registry', 'c-1-cluster-backup']"
	if got := role.Policy.Services["sos"].Rules[0].Expression; got != want {
		t.Errorf("%s", got)
	}
}
