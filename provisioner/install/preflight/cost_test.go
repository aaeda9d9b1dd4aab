package preflight

import (
	"math"
	"strings"
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

func TestEstimate_CountsMachinesDisksAddresses(t *testing.T) {
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
	if cost, _ = Estimate(s); !strings.Contains(cost.String(), "not included (price unknown): standard.giant") {
		t.Error(cost)
	}
}
