package install

import (
	"context"
	"net/netip"
	"slices"
	"testing"

	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/install/bootstrap"
	"exoshift/state"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = "ch-gva-2"
	s.OpenShift.Version, s.OpenShift.SSHKey = "4.20.5", "ssh-ed25519 AAAA"
	return s
}

func TestSteps_AreInOrder(t *testing.T) {
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

func TestSteps_WithoutLoadBalancers(t *testing.T) {
	s := spec()
	s.LoadBalancer.Strategy = "dns-round-robin"
	for _, step := range Steps(s) {
		if (step.ID == "master-machines" || step.ID == "compute-machines") && !slices.Contains(step.Needs, "bootstrap-machine") {
			t.Errorf("nodes ask for the API before it has a name: %v", step.Needs)
		}
	}
}

// doorway is the security group of the bootstrap machine, and a load balancer that tells our address.
type doorway struct {
	Cloud
	bootstrap.Host
	rules []state.Rule
}

func (d *doorway) EnsureSecurityGroup(_ context.Context, group state.SecurityGroup) (string, state.Action, error) {
	d.rules = append(d.rules, group.Rules...)
	return "id", state.Updated, nil
}

func (d *doorway) DeleteRules(_ context.Context, _ string, useless func(state.Rule) bool) (state.Action, error) {
	d.rules = slices.DeleteFunc(d.rules, useless)
	return state.Deleted, nil
}

func (d *doorway) DiscoverAddress(context.Context, string) (netip.Addr, error) {
	return netip.MustParseAddr("192.0.2.10"), nil
}

func TestClose_InStepOfItsRules(t *testing.T) {
	cloud := &doorway{}
	i := newInstallation(spec(), Options{}, state.Folder{}, Clients{Cloud: cloud, Bootstrap: cloud, Clock: network.Clock{}}, state.Facts{}, func(state.Facts) error { return nil })
	var last provisioner.Event
	report := func(e provisioner.Event) { last = e }
	if err := i.access.Open(t.Context(), report); err != nil || len(cloud.rules) == 0 {
		t.Fatal(cloud.rules, err)
	}
	i.Close(t.Context(), report)
	if len(cloud.rules) > 0 || last.Action != string(state.Deleted) || last.Step != stepAccess || last.Phase != Bootstrap {
		t.Errorf("%d rules after the last step: %+v", len(cloud.rules), last)
	}
}
