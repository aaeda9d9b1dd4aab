package main

import (
	"bytes"
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
	ear := &eavesdropper{heard: map[string]string{}}
	virtuallyIn(t, circumstances{spec: connectedSpec, syn: ear.listen}, func(t *testing.T, s session, zone *simcloud.Zone) {
		before := belongings(t, s)
		var out, log bytes.Buffer
		events := installedTo(t, s, &out, &log)
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
		nowhereElse(t, s, zone, ear, map[string][]byte{"the output": out.Bytes(), "the log": log.Bytes()})
		keptAndDestroyed(t, s, zone, before)
	})
}
