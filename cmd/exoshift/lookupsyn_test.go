package main

import (
	"testing"

	"exoshift/internal/app/interview"
	"exoshift/internal/app/lookup"
	"exoshift/internal/simcloud"
	"exoshift/state"
	"exoshift/wizard"
)

// connects answers the questions of Project Syn.
func connects(more ...string) func(*testing.T, *interview.Backend, *simcloud.Zone) {
	return func(t *testing.T, c *interview.Backend, zone *simcloud.Zone) {
		for i := 0; i+1 < len(more)+2; i += 2 {
			pair := append([]string{lookup.LieutenantField, "https://api.syn.vshn.net"}, more...)[i : i+2]
			typed(pair[0], pair[1])(t, c, zone)
		}
	}
}

func TestLookup_LieutenantResults(t *testing.T) {
	const tenant = "t-quiet-harbour-4711"
	for name, want := range map[string]expected{
		"tenants": {id: "tenants", before: connects(), summary: "signed in; 2 tenants"},
		"something else than a Lieutenant": {
			id: "tenants", before: connects(lookup.LieutenantField, "https://quay.io"), summary: "not a Lieutenant API", fault: "syn.lieutenantURL",
		},
		"a free cluster":    {id: "registration", before: connects(lookup.TenantField, tenant), summary: "c-demo-1 is free and will be registered for Harbour Ltd"},
		"an unknown tenant": {id: "registration", before: connects(lookup.TenantField, "t-nobody"), fault: "syn.tenant  Lieutenant does not list the tenant t-nobody"},
		"a cluster of others": {
			id: "registration", before: connects(lookup.TenantField, tenant, lookup.IDField, "c-old-mill-1234"),
			fault: "cluster.id  in Lieutenant, the cluster with this ID belongs to t-other-hill-0815",
		},
		"a cluster that runs": {
			id: "registration", before: connects(lookup.TenantField, "t-other-hill-0815", lookup.IDField, "c-old-mill-1234"),
			fault: "cluster.id  a running cluster with this ID",
		},
	} {
		t.Run(name, want.isSaid)
	}
}

func TestLookup_TenantNames(t *testing.T) {
	talking(t, circumstances{}, func(t *testing.T, c *interview.Backend, zone *simcloud.Zone) {
		connects()(t, c, zone)
		reply, err := asked(t, c, "tenants")
		if err != nil {
			t.Fatal(err)
		}
		choices := reply.Choices[lookup.TenantField]
		if len(choices) != 2 || choices[1] != (wizard.Choice{Value: "t-quiet-harbour-4711", Note: "Harbour Ltd"}) {
			t.Errorf("offered are %v", choices)
		}
	})
}

func TestCheckRegistration_AdoptsRecent(t *testing.T) {
	var spec state.Spec
	spec.Syn.Tenant, spec.Exoscale.Zone = "t-demo", "ch-gva-2"
	found := state.SynCluster{ID: "c-demo", Tenant: "t-demo", Facts: map[string]string{"region": "ch-gva-2"}}
	if faults := lookup.CheckRegistration(found, spec); len(faults) > 0 {
		t.Errorf("before Lieutenant's operator has seen it: %v", faults)
	}
	found.Catalog.URL = "ssh://git@git.example.net/c-demo.git"
	if faults := lookup.CheckRegistration(found, spec); len(faults) != 1 || faults[0].Field != lookup.IDField {
		t.Errorf("with a token that was used: %v", faults)
	}
}
