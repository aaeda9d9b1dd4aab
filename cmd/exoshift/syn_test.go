package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/internal/verify"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/openshift/release/installdir"
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

func TestSyn_InstallsConnectedCluster(t *testing.T) {
	long(t)
	t.Parallel()
	ear := &eavesdropper{heard: map[string]string{}}
	virtuallyIn(t, circumstances{spec: connectedSpec, syn: ear.listen}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
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
		planless(t, zone)
		noted := facts(t, s).Syn
		if noted.Synthesized.IsZero() || noted.Maintained.IsZero() || noted.ACME == "" || noted.OnCall.IsZero() {
			t.Errorf("the facts: %+v", noted)
		}
		nowhereElse(t, s, zone, ear, map[string][]byte{"the output": out.Bytes(), "the log": log.Bytes()})
		connectedRepaired(t, s, zone)
		vaultKeysRotated(t, s)
		updatedByTenant(t, s, zone)
		keptAndDestroyed(t, s, zone, before)
	})
}

// planless requires that the catalog's repository has no pipeline: that of the component for Terraform would create a second cluster.
func planless(t *testing.T, zone *simcloud.Zone) {
	t.Helper()
	host, err := zone.OpenGit()
	if err != nil {
		t.Fatal(err)
	}
	files, _, err := host.ReadFiles("syn/cluster-catalogs/c-demo-1")
	if err != nil || len(files) == 0 {
		t.Fatalf("the catalog has %d files: %v", len(files), err)
	}
	for name := range files {
		if strings.Contains(name, "openshift4-terraform") {
			t.Errorf("the catalog has %s", name)
		}
	}
}

// connectedRepaired deletes the facts and the events of a connected cluster, repairs the facts, and shows that a run then
// changes nothing, neither in the cloud nor in the tenant's configuration.
func connectedRepaired(t *testing.T, s run.Run, zone *simcloud.Zone) {
	t.Helper()
	before, configuration := facts(t, s), configurationOf(t, zone)
	if err := errors.Join(os.Remove(s.Folder.Path(state.FactsFile)), s.Folder.Write(state.EventsFile, nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := finish(t, s); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "exoshift verify") {
		t.Errorf("without facts: %v", err)
	}
	lost, err := verify.Check(s.Folder, installdir.Read)
	if err != nil || !slices.ContainsFunc(lost.Findings, func(f verify.Finding) bool {
		return f.Repair == verify.FromCloud && strings.Contains(f.Text, "Lieutenant, Vault and the tenant's configuration")
	}) {
		t.Errorf("what can be rebuilt: %+v, %v", lost.Findings, err)
	}
	made := zone.Mutations()
	report, err := verify.Repairer{
		Read: installdir.Read, Now: time.Now, Strip: func(state.Spec) error { return nil },
		Recover: func(ctx context.Context, _ state.Spec, known state.Facts) (install.Recovered, error) {
			known.Rehearsal = true // there is no zone beside this folder
			return s.Recover(ctx, known)
		},
	}.Repair(t.Context(), s.Folder)
	for _, f := range report.Findings {
		if !f.Repaired && f.Check != "events" { // which nothing brings back
			t.Errorf("not repaired: %+v", f)
		}
	}
	if err != nil || zone.Mutations() != made {
		t.Fatalf("the repair made %d mutating calls: %v", zone.Mutations()-made, err)
	}
	// When something was is known by its events alone, which are gone; a run finds out the rest.
	moments := cmpopts.IgnoreFields(state.Facts{}, "BootstrapRemoved", "Installed", "Syn.Created", "Syn.ManifestUsed", "Syn.Applied", "Syn.Synthesized", "Syn.Maintained", "Syn.OnCall")
	left := cmpopts.IgnoreFields(state.Facts{}, "ConsoleURL", "ReleaseImage", "Syn.Alerts")
	after := facts(t, s)
	if diff := cmp.Diff(before, after, moments, left); diff != "" {
		t.Errorf("the facts (-before +after)\n%s", diff)
	}
	for name, at := range map[string]time.Time{
		"bootstrap removed": after.BootstrapRemoved, "installed": after.Installed, "manifest used": after.Syn.ManifestUsed, "applied": after.Syn.Applied,
		"synthesized": after.Syn.Synthesized, "maintained": after.Syn.Maintained, "on call": after.Syn.OnCall,
	} {
		if at.IsZero() {
			t.Errorf("%s is not known", name)
		}
	}
	out, err := finish(t, s)
	if changes := zone.Mutations() - made; err != nil || changes != 0 {
		t.Errorf("a run made %d mutating calls: %v\n%s", changes, err, lastLines(out))
	}
	if diff := cmp.Diff(before, facts(t, s), moments); diff != "" {
		t.Errorf("after a run (-before +after)\n%s", diff)
	}
	if diff := cmp.Diff(configuration, configurationOf(t, zone)); diff != "" {
		t.Errorf("the tenant's configuration: %s", diff)
	}
}
