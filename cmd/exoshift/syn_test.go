package main

import (
	"testing"

	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

const (
	lieutenantURL = "https://api.syn.vshn.net"
	harbour       = "t-quiet-harbour-4711"
	// harbourRepository holds the configuration of that tenant's clusters.
	harbourRepository = "syn/tenants/" + harbour
)

// connectedSpec is the example, connected to Project Syn.
func connectedSpec(s *state.Spec) {
	s.Syn.LieutenantURL, s.Syn.Tenant = lieutenantURL, harbour
	s.Syn.Facts = map[string]string{"maintenance_window": "tuesday-1000"}
	s.Network.CNI, s.OpenShift.CloudControllerManager, s.DNS.ACME = "Cilium", "External", true
}

func TestAConnectedClusterIsHandedOverToProjectSyn(t *testing.T) {
	long(t)
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s session, zone *simcloud.Zone) {
		before := belongings(t, s)
		events := installed(t, s)
		applications := map[string]provisioner.Event{}
		for _, e := range events {
			if e.Type == provisioner.TypeApplication {
				applications[e.Name] = e
			}
		}
		for name, e := range applications {
			if e.State != "Healthy" || e.Sync != "Synced" && e.Sync != "" {
				t.Errorf("application %s is %s and %s: %s", name, e.State, e.Sync, e.Reason)
			}
		}
		t.Logf("%d applications", len(applications))
		noted := facts(t, s).Syn
		if noted.Synthesized.IsZero() || noted.Maintained.IsZero() || noted.ACME == "" || noted.OnCall.IsZero() {
			t.Errorf("the facts: %+v", noted)
		}
		keptAndDestroyed(t, s, zone, before)
	})
}
