package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud"
	"exoshift/internal/verify"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/openshift/release"
	"exoshift/state"
)

const (
	lieutenantURL = "https://api.syn.vshn.net"
	harbour       = "t-quiet-harbour-4711"
	// harbourRepository holds the configuration of that tenant's clusters.
	harbourRepository = "syn/tenants/" + harbour
)

// connectedSpec connects the example to Project Syn.
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
		connectedRepaired(t, s, zone)
		keptAndDestroyed(t, s, zone, before)
	})
}

// connectedRepaired damages the facts of a connected cluster and deletes its events, repairs the facts, and shows that a run
// then changes nothing, neither in the cloud nor in the tenant's configuration.
func connectedRepaired(t *testing.T, s session, zone *simcloud.Zone) {
	t.Helper()
	before, configuration := facts(t, s), configurationOf(t, zone)
	damaged := bytes.ReplaceAll([]byte(content(t, s.folder, state.FactsFile)), []byte(before.APIAddress), []byte("192.0.2.99"))
	if err := errors.Join(s.folder.Write(state.FactsFile, damaged), s.folder.Write(state.EventsFile, nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := finish(t, s); exitCode(err) != exitAnswers || !strings.Contains(err.Error(), "exoshift verify") {
		t.Errorf("damaged facts: %v", err)
	}
	report, err := verify.Repairer{
		Read: release.ReadGeneration, Now: time.Now, Strip: func(state.Spec) error { return nil },
		Recover: func(ctx context.Context, _ state.Spec, known state.Facts) (install.Recovered, error) {
			return s.recoverFacts(ctx, known)
		},
	}.Repair(t.Context(), s.folder)
	if wrong, _, repaired := report.Count(); err != nil || repaired == 0 || wrong > repaired {
		t.Fatalf("%+v: %v", report.Findings, err)
	}
	if diff := cmp.Diff(before, facts(t, s)); diff != "" {
		t.Errorf("the repaired facts (-before +after)\n%s", diff)
	}
	made := zone.Mutations()
	out, err := finish(t, s)
	if changes := zone.Mutations() - made; err != nil || changes != 0 {
		t.Errorf("a run made %d mutating calls: %v\n%s", changes, err, lastLines(out))
	}
	if diff := cmp.Diff(before, facts(t, s)); diff != "" {
		t.Errorf("after a run (-before +after)\n%s", diff)
	}
	if diff := cmp.Diff(configuration, configurationOf(t, zone)); diff != "" {
		t.Errorf("the tenant's configuration: %s", diff)
	}
}
