package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"golang.org/x/sys/unix"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/fleet"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/state/store"
	stateupgrade "exoshift/state/upgrade"
	"exoshift/wizard"
)

// newFleet returns shared state that holds the cluster of a run under each of the IDs.
func newFleet(t *testing.T, s run.Run, ids ...string) fleet.Fleet {
	t.Helper()
	directory, err := store.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	memory, err := shared.OpenMemory(filepath.Join(t.TempDir(), "memory.json"))
	if err != nil {
		t.Fatal(err)
	}
	options := shared.Options{Store: directory, Leases: directory, Identities: []age.Identity{identity}, Memory: memory}
	if _, err := shared.Initialize(t.Context(), options, []string{identity.Recipient().String()}); err != nil {
		t.Fatal(err)
	}
	place, err := shared.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if err := place.Import(t.Context(), id, s.Folder, lease.Holder{Run: "import", Verb: "state import"}); err != nil {
			t.Fatal(err)
		}
	}
	refresh := &fleet.Refresh{
		Lookup: environment.LookupRehearsalSecret, Access: s.Access, Net: s.Net,
		Open: func(_ context.Context, folder state.Folder, spec state.Spec, secrets wizard.Secrets) (run.Run, func() error, error) {
			r := s
			r.Folder, r.Spec, r.Secrets = folder, spec, secrets
			return r, func() error { return nil }, nil
		},
	}
	return fleet.Fleet{Place: place, Work: t.TempDir(), Now: time.Now, Refresh: refresh}
}

// oneOfFleet requires that a refresh finds what has changed in the zone and in the cluster, and that it stays known.
func oneOfFleet(t *testing.T, s run.Run, zone *simcloud.Zone) {
	pass(t, s, 10*time.Minute) // a zone that has just been opened: operators are degraded until all machines have started
	all := newFleet(t, s, s.Spec.Cluster.ID)
	before := zone.Mutations()
	look := func(refreshed bool) fleet.Cluster {
		t.Helper()
		f := all
		if !refreshed {
			f.Refresh = nil
		}
		clusters, notes, err := f.List(t.Context(), fleet.Selector{})
		if err != nil || len(clusters) != 1 || len(notes) > 0 {
			t.Fatalf("%d clusters, notes %q, %v", len(clusters), notes, err)
		}
		return clusters[0]
	}
	first := look(false)
	if first.Phase != fleet.PhaseInstalled || first.Drift != nil || first.NodesReady != 13 || first.Nodes != 13 || first.CostMonth == 0 || first.LastSuccess == nil {
		t.Errorf("before a check: %+v", first)
	}
	checked := look(true)
	if checked.Drift == nil || *checked.Drift || len(checked.Findings) > 0 || len(checked.ListFaults()) > 0 || checked.Version != "4.20.5" {
		t.Errorf("after a check: %+v, drift %v, faults %q", checked, *checked.Drift, checked.ListFaults())
	}
	if first.Updates != nil || !slices.Equal(checked.Updates, []stateupgrade.Update{{Version: newRelease, Recommended: true}, {Version: riskyRelease}}) || !slices.Contains(checked.Row(time.Now()), newRelease) {
		t.Errorf("it can be updated to %+v: %q", checked.Updates, checked.Row(time.Now()))
	}
	b := backdoor{t, s}
	b.ask(http.MethodPut, "/instance/"+b.id("/instance", "instances", "name", "worker-1")+":stop", nil)
	b.ask(http.MethodDelete, "/instance/"+b.id("/instance", "instances", "name", "worker-2"), nil)
	if err := s.Net.Clock.Sleep(t.Context(), 10*time.Minute); err != nil { // until the cluster has noticed
		t.Fatal(err)
	}
	if stale := look(false); len(stale.ListFaults()) > 0 {
		t.Errorf("without a refresh: %q", stale.ListFaults())
	}
	look(true)
	drifted := look(false)
	if drifted.Drift == nil || !*drifted.Drift || drifted.NodesReady != 11 || !strings.Contains(strings.Join(drifted.ListFaults(), "\n"), "11 of 13 nodes are ready") {
		t.Errorf("after a machine was deleted: %+v, faults %q", drifted, drifted.ListFaults())
	}
	if made := zone.Mutations() - before; made != 2 {
		t.Errorf("%d calls changed something, 2 of them the test's own", made)
	}
}

// TestFleet_JoinsLieutenant: a tenant's cluster that is not in shared state is listed, too, and one that Lieutenant lacks is noted.
func TestFleet_JoinsLieutenant(t *testing.T) {
	t.Parallel()
	const tenant = "t-other-hill-0815"
	connected := func(spec *state.Spec) {
		connectedSpec(spec)
		spec.Syn.Tenant = tenant
	}
	virtuallyIn(t, circumstances{spec: connected}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		if err := s.KeepAnswers(); err != nil {
			t.Fatal(err)
		}
		all := newFleet(t, s, s.Spec.Cluster.ID)
		clusters, notes, err := all.List(t.Context(), fleet.Selector{})
		if err != nil || len(clusters) != 2 || clusters[1].ID != "c-old-mill-1234" || clusters[1].Phase != fleet.PhaseElsewhere || clusters[1].Zone == "" {
			t.Errorf("the fleet is %+v, %v", clusters, err)
		}
		if !strings.Contains(strings.Join(notes, "\n"), "Lieutenant does not know "+s.Spec.Cluster.ID+" of tenant "+tenant) {
			t.Errorf("the notes are %q", notes)
		}
		if gate := fleet.CheckGate(clusters); gate.Selected != 1 {
			t.Errorf("%d clusters count for a gate, one of them is not in shared state", gate.Selected)
		}
	})
}

// fleetAccount names the file for what a refresh of many clusters took; it is set by the benchmark.
const fleetAccount = "EXOSHIFT_FLEET_ACCOUNT"

// refreshed is how many clusters of one zone are asked at once.
const refreshed = 100

// TestFleet_RefreshOfMany: the clusters are one under many IDs, which makes no difference to those who ask.
func TestFleet_RefreshOfMany(t *testing.T) {
	account := os.Getenv(fleetAccount)
	if account == "" {
		t.Skip("the benchmark runs it")
	}
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		installed(t, s)
		var ids []string
		for n := range refreshed {
			ids = append(ids, fmt.Sprintf("c-%03d", n))
		}
		all := newFleet(t, s, ids...)
		virtual, busy := time.Now(), processorTime(t)
		clusters, notes, err := all.List(t.Context(), fleet.Selector{})
		if err != nil || len(clusters) != refreshed || len(notes) > 0 {
			t.Fatalf("%d clusters, notes %q, %v", len(clusters), notes, err)
		}
		took := time.Since(virtual) + processorTime(t) - busy
		for _, c := range clusters {
			if faults := c.ListFaults(); len(faults) > 0 {
				t.Errorf("%s: %q", c.ID, faults)
			}
		}
		if err := os.WriteFile(account, []byte(took.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	})
}

// processorTime is that of this process so far, which other processes do not lengthen. It is real in virtual time, too.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// refreshLimit is of what a refresh waits for and of what the processor takes for it together: as long as it takes on one processor
// that does nothing else. The simulated zone's own work is included.
const refreshLimit = 15 * time.Second

func BenchmarkFleetRefresh(b *testing.B) {
	path := filepath.Join(b.TempDir(), "account")
	b.Setenv(fleetAccount, path)
	for b.Loop() {
		measureTest(b, "TestFleet_RefreshOfMany")
		content, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		took, err := time.ParseDuration(string(content))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(took.Seconds(), "refresh-s")
		if took > refreshLimit {
			b.Errorf("a refresh of %d clusters took %s, the limit is %s", refreshed, took, refreshLimit)
		}
	}
}
