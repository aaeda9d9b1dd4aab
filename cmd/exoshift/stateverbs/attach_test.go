package stateverbs

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"filippo.io/age"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/fleet"
	"exoshift/internal/app/request"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/state/store"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openPlaces returns the shared state of two machines.
func openPlaces(t *testing.T) (one, other *shared.Place) {
	t.Helper()
	directory, err := store.OpenDirectory(t.TempDir())
	must(t, err)
	identity, err := age.GenerateX25519Identity()
	must(t, err)
	var places [2]*shared.Place
	for n := range places {
		memory, err := shared.OpenMemory(filepath.Join(t.TempDir(), "memory.json"))
		must(t, err)
		options := shared.Options{Store: directory, Leases: directory, Identities: []age.Identity{identity}, Memory: memory}
		if n == 0 {
			_, err = shared.Initialize(t.Context(), options, []string{identity.Recipient().String()})
			must(t, err)
		}
		places[n], err = shared.Open(t.Context(), options)
		must(t, err)
	}
	return places[0], places[1]
}

// TestAttachment_FollowsWhatRuns: a teardown and a removal of nodes keep their events apart from those of the installation.
func TestAttachment_FollowsWhatRuns(t *testing.T) {
	const id = "c-demo-1"
	now := time.Date(2000, 1, 1, 0, 0, 1, 0, time.UTC) // a test begins a second earlier
	for name, c := range map[string]struct {
		verb   string
		began  time.Time
		last   string // the verb of the last run among those on the installed cluster, which began then
		stream string
	}{
		"an installation":               {fleet.VerbInstall, now, "nodes remove", state.EventsFile},
		"a teardown":                    {fleet.VerbDestroy, now, "nodes remove", state.TeardownFile},
		"a removal of nodes":            {"nodes remove", now, "nodes remove", state.NodesFile},
		"an update":                     {"upgrade", now, "upgrade", state.NodesFile},
		"a recovery":                    {"recover etcd", now, "recover etcd", state.NodesFile},
		"an addition":                   {fleet.VerbAddNodes, now, "nodes remove", state.EventsFile},
		"an addition to Ceph":           {fleet.VerbAddNodes, now, fleet.VerbAddNodes, state.NodesFile},
		"an addition after one to Ceph": {fleet.VerbAddNodes, now.Add(-time.Hour), fleet.VerbAddNodes, state.EventsFile},
	} {
		synctest.Test(t, func(t *testing.T) {
			place, watching := openPlaces(t)
			run, err := place.Open(t.Context(), id, t.TempDir(), lease.Holder{Run: "R", Verb: c.verb}, func(lease.Holder) {})
			must(t, err)
			folder, err := run.Folder()
			must(t, err)
			for _, file := range []string{state.EventsFile, state.TeardownFile, state.NodesFile} {
				event := provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Text: "of " + file, Time: c.began}
				if file == state.NodesFile {
					event.Verb = c.last
				}
				file, err := folder.Append(file)
				must(t, err)
				must(t, json.NewEncoder(file).Encode(event))
				must(t, file.Close())
			}
			must(t, (network.Clock{}).Sleep(t.Context(), 5*time.Second)) // until they are in shared state
			var out bytes.Buffer
			watched := make(chan error, 1)
			go func() {
				a := attachment{place: watching, id: id, std: cli.Streams{Out: &out}}
				watched <- a.watch(t.Context(), cli.NewOptions(request.Request{}, cli.OutputJSON))
			}()
			must(t, (network.Clock{}).Sleep(t.Context(), 5*time.Second))
			must(t, run.Close(t.Context()))
			must(t, <-watched)
			if strings.Count(out.String(), "\n") != 1 || !strings.Contains(out.String(), "of "+c.stream) {
				t.Errorf("%s: watched is %q", name, out.String())
			}
		})
	}
}
