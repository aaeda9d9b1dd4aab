package fleet

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"filippo.io/age"

	"exoshift/internal/network"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/state/store"
)

// distant is a store whose answers take a second, once it is said so. It counts the files that are read.
type distant struct {
	store.Directory
	latency time.Duration

	mu    sync.Mutex
	reads map[string]int
}

func (d *distant) Get(ctx context.Context, key string) (store.Object, error) {
	if err := (network.Clock{}).Sleep(ctx, d.latency); err != nil {
		return store.Object{}, err
	}
	d.mu.Lock()
	d.reads[key]++
	d.mu.Unlock()
	return d.Directory.Get(ctx, key)
}

// importFleet returns a fleet of clusters that no run has worked on.
func importFleet(t *testing.T, count int) (Fleet, *distant) {
	t.Helper()
	fail := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	directory, err := store.OpenDirectory(t.TempDir())
	fail(err)
	identity, err := age.GenerateX25519Identity()
	fail(err)
	memory, err := shared.OpenMemory(filepath.Join(t.TempDir(), "memory.json"))
	fail(err)
	at := &distant{Directory: directory, reads: map[string]int{}}
	options := shared.Options{Store: at, Leases: directory, Identities: []age.Identity{identity}, Memory: memory}
	_, err = shared.Initialize(t.Context(), options, []string{identity.Recipient().String()})
	fail(err)
	place, err := shared.Open(t.Context(), options)
	fail(err)
	folder, err := state.Create(t.TempDir())
	fail(err)
	fail(folder.Write(state.AnswersFile, []byte(answers)))
	for n := range count {
		fail(place.Import(t.Context(), fmt.Sprintf("c-%02d", n), folder, lease.Holder{Run: "import", Verb: "state import"}))
	}
	return Fleet{Place: place, Work: t.TempDir(), Now: time.Now}, at
}

// TestFleet_ReadsImportedSideBySide: clusters without a summary are read at once, not one after the other.
func TestFleet_ReadsImportedSideBySide(t *testing.T) {
	took := func(count int) (took time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			fleet, at := importFleet(t, count)
			at.latency = time.Second
			began := time.Now()
			clusters, _, err := fleet.List(t.Context(), Selector{"stage": "prod"})
			took = time.Since(began)
			if err != nil || len(clusters) != count || clusters[count-1].Nodes != 13 {
				t.Fatalf("%d clusters, %v", len(clusters), err)
			}
		})
		return took
	}
	if one, many := took(1), took(refreshParallel); many > one {
		t.Errorf("%d clusters take %s, and one takes %s", refreshParallel, many, one)
	}
}

// TestFleet_RefreshReadsFolderTwice: once for the summary, and once for the check.
func TestFleet_RefreshReadsFolderTwice(t *testing.T) {
	fleet, at := importFleet(t, 2)
	fleet.Refresh = &Refresh{Lookup: func(string) (string, bool) { return "", false }}
	at.reads = map[string]int{}
	clusters, notes, err := fleet.List(t.Context(), Selector{"stage": "prod"})
	if err != nil || len(clusters) != 2 || clusters[1].Nodes != 13 || len(notes) != 2 {
		t.Fatalf("%+v, notes %q, %v", clusters, notes, err)
	}
	files := 0
	for key, times := range at.reads {
		if strings.Contains(key, "/objects/") {
			files++
			if times > 2 {
				t.Errorf("%s was read %d times", key, times)
			}
		}
	}
	if files != 2 {
		t.Errorf("%d files were read", files)
	}
}
