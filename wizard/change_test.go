package wizard_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

func TestDiff_ClusterConsequences(t *testing.T) {
	before, after := valid(), valid()
	after.Cluster.DisplayName = "Demo"
	after.Cluster.BaseDomain = "example.org"
	after.Sizing.Workers.Count = 5
	after.Sizing.ExtraGroups = []state.GroupSpec{{Name: "gpu", MachineSpec: state.MachineSpec{Type: "gpua30.small", Count: 2, RootDisk: 100}}}
	after.Network.PodCIDR = "10.64.0.0/14"
	after.Exoscale.APIKey = state.SecretRef{Exo: "work"}
	want := []answersfile.Change{
		{Key: "cluster.displayName", After: "Demo", Effect: wizard.NoEffect},
		{Key: "cluster.baseDomain", Before: "example.net", After: "example.org", Effect: wizard.Rebuild},
		{Key: "exoscale.apiKey", Before: "env:EXOSCALE_API_KEY", After: "exo:work", Effect: wizard.NoEffect},
		{Key: "sizing.workers.count", Before: "3", After: "5", Effect: wizard.Adds},
		{Key: "sizing.extraGroups", After: "name=gpu type=gpua30.small count=2 rootDisk=100 dataDisk=0 topolvm=false", Effect: wizard.Adds},
		{Key: "network.podCIDR", Before: "10.128.0.0/14", After: "10.64.0.0/14", Effect: wizard.Rebuild},
	}
	if diff := cmp.Diff(want, answersfile.Diff(before, after)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if changes := answersfile.Diff(after, after); len(changes) > 0 {
		t.Errorf("nothing changed, and %+v", changes)
	}
}

func TestFields_HaveChangeConsequence(t *testing.T) {
	rebuilt := map[string]bool{}
	for _, f := range wizard.Fields() {
		switch f.Effect {
		case wizard.NoEffect, wizard.Applied, wizard.Adds, wizard.ByHand:
		case wizard.Rebuild:
			rebuilt[f.Key] = true
		default:
			t.Errorf("%s: %q is no effect", f.Key, f.Effect)
		}
	}
	for _, key := range []string{
		"cluster.id", "cluster.baseDomain", "exoscale.zone", "network.podCIDR", "network.serviceCIDR", "network.hostPrefix", "network.cni",
		"openshift.distribution", "openshift.version", "loadBalancer.strategy",
	} {
		if !rebuilt[key] {
			t.Errorf("%s can be changed", key)
		}
	}
}
