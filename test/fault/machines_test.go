package fault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"filippo.io/age"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/state/store"
)

// machine is one of the computers that share a cluster's state. It can lose its network.
type machine struct {
	store.Directory
	name     string
	dir      string
	identity age.Identity
	cut      atomic.Bool
}

func (m *machine) Get(ctx context.Context, key string) (store.Object, error) {
	if m.cut.Load() {
		return store.Object{}, fault.Newf(fault.Transient, "get", "the network is down")
	}
	return m.Directory.Get(ctx, key)
}

func (m *machine) Put(ctx context.Context, key string, content []byte, replaced store.Version) (store.Version, error) {
	if m.cut.Load() {
		return "", fault.Newf(fault.Transient, "put", "the network is down")
	}
	return m.Directory.Put(ctx, key, content, replaced)
}

// newMachines are two machines of a team, outside of any bubble.
func newMachines(t *testing.T, dir string) [2]*machine {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	directory, err := store.OpenDirectory(filepath.Join(dir, "shared"))
	if err != nil {
		t.Fatal(err)
	}
	var both [2]*machine
	for n, name := range []string{"first", "second"} {
		both[n] = &machine{Directory: directory, name: name, dir: filepath.Join(dir, name), identity: identity}
	}
	if _, err := shared.Initialize(t.Context(), both[0].options(t), []string{identity.Recipient().String()}); err != nil {
		t.Fatal(err)
	}
	return both
}

func (m *machine) options(t *testing.T) shared.Options {
	t.Helper()
	memory, err := shared.OpenMemory(filepath.Join(m.dir, "memory.json"))
	if err != nil {
		t.Fatal(err)
	}
	return shared.Options{Store: m, Leases: m, Identities: []age.Identity{m.identity}, Memory: memory}
}

func (m *machine) open(l *lab) (*shared.Workspace, state.Folder) {
	l.Helper()
	place, err := shared.Open(l.Context(), m.options(l.T))
	l.must(err)
	workspace, err := place.Open(l.Context(), l.spec.Cluster.ID, filepath.Join(m.dir, "work"), lease.Holder{Run: m.name, Verb: "install"}, func(lease.Holder) {})
	l.must(err)
	folder, err := workspace.Folder()
	l.must(err)
	return workspace, folder
}

// TestInstall_GoesOnOnAnotherMachine kills a machine's process and its network at each call that changes something, before the call or
// after it: another machine, which knows shared state alone, ends the installation as if nothing had happened.
func TestInstall_GoesOnOnAnotherMachine(t *testing.T) {
	var want undisturbed
	synctest.Test(t, func(t *testing.T) { want = observe(t) })
	var counts report
	t.Run("calls", func(t *testing.T) {
		for n, call := range sampled(want.calls) {
			tried := []blow{killedBefore, killedAfter}
			if !testing.Short() {
				tried = tried[n/2%2:][:1] // a call is struck by one of them, the few of the short tests by both
				if n%2 == 1 && os.Getenv("EXOSHIFT_NODE_FAULTS") != "all" {
					continue
				}
			}
			for _, with := range tried {
				t.Run(fmt.Sprintf("%03d %s", n, with), func(t *testing.T) {
					t.Parallel()
					dir := fastDir(t)
					both := newMachines(t, dir)
					synctest.Test(t, func(t *testing.T) { handOver(t, dir, both, call, with, want, &counts) })
				})
			}
		}
	})
	t.Logf("calls %d, faults tried %d, duplicates %d, leftovers %d", len(want.calls), counts.tried.Load(), counts.doubled.Load(), counts.leftover.Load())
}

func handOver(t *testing.T, dir string, both [2]*machine, call string, with blow, want undisturbed, counts *report) {
	struck := newStriker(call, with)
	struck.cut = func() { both[0].cut.Store(true) }
	l := openLab(t, filepath.Join(dir, "unused"), simcloud.Options{}, struck)
	defer l.close()
	l.inside = withoutCluster
	var abandoned *shared.Workspace
	abandoned, l.folder = both[0].open(l)
	_ = l.install()
	if !l.strike.struck {
		t.Fatalf("it never came to this: %s", call)
	}
	counts.tried.Add(1)
	if !both[0].cut.Load() {
		t.Fatal("its network is not cut")
	}
	next, folder := both[1].open(l)
	var lost *lease.LostError
	if err := abandoned.Sync(); !errors.As(err, &lost) {
		t.Errorf("the first machine may still change the cluster: %v", err)
	}
	l.folder = folder
	if err := l.install(); err != nil {
		t.Fatalf("%s: the second machine: %v", call, err)
	}
	l.checkEnd(call, want, counts)
	l.must(next.Close(l.Context()))
	if err := abandoned.Close(l.Context()); !errors.As(err, &lost) {
		t.Errorf("the first machine stored its state: %v", err)
	}
}
