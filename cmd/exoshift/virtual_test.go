package main

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/provisioner/handover"

	"exoshift/assets"
	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/run"
	"exoshift/internal/app/zoneimage"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// virtually runs an installation of the example on a zone in memory, in virtual time.
func virtually(t *testing.T, scenario string, then func(t *testing.T, s run.Run, zone *simcloud.Zone)) {
	t.Helper()
	virtuallyIn(t, circumstances{scenario: scenario}, then)
}

// circumstances are differences from the example and a default zone.
type circumstances struct {
	scenario   string
	spec       func(*state.Spec)
	quotas     map[string]int
	middleware func(http.Handler) http.Handler
	syn        func(http.Handler) http.Handler // before the hosts of Project Syn
	dir        string                          // keeps the zone and the cluster's folder for another bubble; "": neither is kept
	begin      time.Time                       // end of the previous bubble; time is monotonic
}

func virtuallyIn(t *testing.T, world circumstances, then func(t *testing.T, s run.Run, zone *simcloud.Zone)) {
	t.Helper()
	dir, kept := filepath.Join(t.TempDir(), "cluster"), ""
	if world.dir != "" {
		dir, kept = filepath.Join(world.dir, "cluster"), filepath.Join(world.dir, "zone")
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(world.begin))
		spec, secrets := exampleAlone(t)
		if world.spec != nil {
			world.spec(&spec)
		}
		zone, err := simcloud.Open(t.Context(), simcloud.Options{
			Dir: kept, Scenario: world.scenario, Quotas: world.quotas, Middleware: world.middleware, Syn: world.syn,
			Zone: spec.Exoscale.Zone, Key: secrets.APIKey, Secret: secrets.APISecret,
			Installer: installerOfNow(), Program: zoneimage.RunOnMachine,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := zone.Close(); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Minute) // requests of machines that wait for lost packets time out
		}()
		if !world.begin.IsZero() {
			time.Sleep(time.Minute) // the load balancers' health checks succeed again
		}
		folder, err := state.Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		then(t, run.Run{Spec: spec, Secrets: secrets, Folder: folder, Net: zone.Network(), Access: tokensOf(zone), Options: run.Options{BootstrapAccess: true}, Cache: folder.Path(state.BinDir), Locations: handover.Locations{Rehearsal: true}}, zone)
	})
}

// installWith prints the events as JSON.
func installWith(ctx context.Context, s run.Run, std cli.Streams) error {
	return s.Install(ctx, jsonDisplay(std))
}

func jsonDisplay(std cli.Streams) cli.Display { return cli.Display{Output: cli.OutputJSON, Std: std} }

// exampleAlone returns the shipped answers, whatever the environment.
func exampleAlone(t *testing.T) (state.Spec, wizard.Secrets) {
	t.Helper()
	content, err := assets.ReadExample()
	if err != nil {
		t.Fatal(err)
	}
	spec, secrets, faults := answersfile.Load("example", content, environment.LookupRehearsalSecret)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return spec, secrets
}

func eventsOf(t *testing.T, lines string) []provisioner.Event {
	t.Helper()
	var events []provisioner.Event
	for line := range strings.Lines(lines) {
		var e provisioner.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		events = append(events, e)
	}
	return events
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}

// tokensOf is an engineer with tokens: in virtual time there is no browser.
func tokensOf(zone *simcloud.Zone) *environment.Access {
	credentials := zone.Credentials()
	return &environment.Access{APIToken: credentials.APIToken, VaultToken: credentials.VaultToken, GitToken: func() string { return credentials.GitToken }}
}
