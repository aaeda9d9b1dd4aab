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
	for verb, stream := range map[string]string{
		fleet.VerbInstall: state.EventsFile, fleet.VerbDestroy: state.TeardownFile, fleet.VerbRemoveNodes: state.NodesFile,
		fleet.VerbStop: state.NodesFile, fleet.VerbStart: state.NodesFile, fleet.VerbRotateKeys: state.NodesFile,
	} {
		synctest.Test(t, func(t *testing.T) {
			place, watching := openPlaces(t)
			run, err := place.Open(t.Context(), id, t.TempDir(), lease.Holder{Run: "R", Verb: verb}, func(lease.Holder) {})
			must(t, err)
			folder, err := run.Folder()
			must(t, err)
			for _, name := range []string{state.EventsFile, state.TeardownFile, state.NodesFile} {
				file, err := folder.Append(name)
				must(t, err)
				must(t, json.NewEncoder(file).Encode(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Text: "of " + name}))
				must(t, file.Close())
			}
			var out bytes.Buffer
			watched := make(chan error, 1)
			go func() {
				a := attachment{place: watching, id: id, std: cli.Streams{Out: &out}}
				watched <- a.watch(t.Context(), cli.NewOptions(request.Request{}, cli.OutputJSON))
			}()
			must(t, (network.Clock{}).Sleep(t.Context(), 5*time.Second))
			must(t, run.Close(t.Context()))
			must(t, <-watched)
			if strings.Count(out.String(), "\n") != 1 || !strings.Contains(out.String(), "of "+stream) {
				t.Errorf("%s: watched is %q", verb, out.String())
			}
		})
	}
}
