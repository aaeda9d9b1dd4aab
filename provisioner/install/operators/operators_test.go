package operators

import (
	"testing"

	"exoshift/state"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = "ch-gva-2"
	s.OpenShift.Version, s.OpenShift.SSHKey = "4.20.5", "ssh-ed25519 AAAA"
	return s
}

func TestCountRouters_EveryIngressNode(t *testing.T) {
	o := &Operators{spec: spec()}
	if got := o.countRouters(); got != 2 {
		t.Errorf("%d routers behind load balancers", got)
	}
	o.spec.LoadBalancer = state.LoadBalancerSpec{Strategy: "dns-round-robin", ProxyProtocol: true}
	if got := o.countRouters(); got != 4 || isProxied(o.spec) {
		t.Errorf("%d routers for 4 infra nodes; PROXY protocol: %t", got, isProxied(o.spec))
	}
}

func TestCheckVersion_RefusesNoOperators(t *testing.T) {
	version := state.VersionStatus{Version: "4.20.5", Available: true, Percent: 100}
	if err := checkVersion(version); err == nil {
		t.Error("the cluster counts as installed although no operator was seen")
	}
	version.Total = 1
	if err := checkVersion(version); err != nil {
		t.Error(err)
	}
}

func TestPlacement_WithoutInfraNodes(t *testing.T) {
	o := &Operators{spec: spec()}
	if got, want := o.placeRegistry(), (state.Placement{NodeLabel: infraLabel, Replicas: 2}); got != want {
		t.Errorf("the registry: %+v, want %+v", got, want)
	}
	o.spec.Sizing.Infra.Count = 0
	if got, want := o.placeRegistry(), (state.Placement{Replicas: 2}); got != want {
		t.Errorf("the registry: %+v, want %+v", got, want)
	}
	for role, want := range map[state.Role]bool{state.RoleWorker: true, "gpu": false, state.RoleStorage: false} {
		labels, _ := getRoleLabels(role, o.spec.RouterRole())
		if _, got := labels[routerLabel]; got != want {
			t.Errorf("%s has routers: %t", role, got)
		}
	}
}
