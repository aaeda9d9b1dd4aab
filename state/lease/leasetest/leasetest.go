// Package leasetest has the tests that whatever holds the locks of shared state has to pass.
package leasetest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state/lease"
	"exoshift/state/store"
)

// Run tests what needs no wait.
func Run(t *testing.T, s lease.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, lease.Store, string){
		"Conditions": testConditions, "Race": testRace, "Release": testRelease, "Unlock": testUnlock,
	} {
		t.Run(name, func(t *testing.T) { test(t, s, "c-"+strings.ToLower(rand.Text()[:12])) })
	}
}

// RunTimed tests what takes minutes: it is for the bubbles of testing/synctest.
func RunTimed(t *testing.T, s lease.Store) {
	t.Helper()
	testHeld(t, s, "c-held")
	testTakeover(t, s, "c-takeover")
	testLostAnswer(t, s, "c-answer")
}

func newHolder(run string) lease.Holder {
	return lease.Holder{Run: run, User: "anna", Host: "laptop", Job: "https://git.example.net/-/jobs/1", Verb: "install"}
}

func encode(epoch, beat int, holder *lease.Holder) []byte {
	content, _ := json.Marshal(lease.Record{Format: 1, Epoch: epoch, Beat: beat, Nonce: rand.Text(), Holder: holder, Renewed: time.Now().UTC()})
	return content
}

func testConditions(t *testing.T, s lease.Store, cluster string) {
	ctx, key, holder := t.Context(), cluster+".json", newHolder("RUN1")
	if _, err := s.Get(ctx, key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("get: %v, want fs.ErrNotExist", err)
	}
	if _, err := s.Put(ctx, key, encode(1, 0, &holder), "missing/4711"); !errors.Is(err, store.ErrConflict) {
		t.Errorf("replace what is not there: %v, want a conflict", err)
	}
	content := encode(1, 0, &holder)
	first, err := s.Put(ctx, key, content, "")
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := s.Get(ctx, key); err != nil || string(stored.Content) != string(content) || stored.Version != first {
		t.Errorf("got %q of version %q (%v), want %q of version %q", stored.Content, stored.Version, err, content, first)
	}
	if _, err := s.Put(ctx, key, encode(1, 0, &holder), ""); !errors.Is(err, store.ErrConflict) {
		t.Errorf("create again: %v, want a conflict", err)
	}
	second, err := s.Put(ctx, key, encode(1, 1, &holder), first)
	if err != nil || second == first {
		t.Errorf("replaced %q by %q: %v", first, second, err)
	}
	if _, err := s.Put(ctx, key, encode(1, 1, &holder), first); !errors.Is(err, store.ErrConflict) {
		t.Errorf("replace an old version: %v, want a conflict", err)
	}
	if _, err := s.Put(ctx, key, encode(1, 2, nil), second); err != nil {
		t.Error(err)
	}
}

// testRace has many take a free lock at once.
func testRace(t *testing.T, s lease.Store, cluster string) {
	var taken atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		holder := newHolder(rand.Text()[:12])
		group.Go(func() {
			_, err := s.Put(t.Context(), cluster+".json", encode(1, 0, &holder), "")
			var held *lease.HeldError
			switch {
			case err == nil:
				taken.Add(1)
			case !errors.Is(err, store.ErrConflict) && !errors.As(err, &held):
				t.Error(err)
			}
		})
	}
	if group.Wait(); taken.Load() != 1 {
		t.Errorf("%d of 8 have the lock", taken.Load())
	}
}

func acquire(ctx context.Context, s lease.Store, cluster, run string) (*lease.Lease, error) {
	return lease.Acquire(ctx, s, cluster, newHolder(run), func(lease.Holder) {})
}

func testRelease(t *testing.T, s lease.Store, cluster string) {
	for epoch := 1; epoch <= 3; epoch++ {
		held, err := acquire(t.Context(), s, cluster, rand.Text()[:12])
		if err != nil {
			t.Fatal(err)
		}
		if held.Epoch() != epoch {
			t.Errorf("epoch %d, want %d", held.Epoch(), epoch)
		}
		if err := held.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func testUnlock(t *testing.T, s lease.Store, cluster string) {
	if _, err := lease.Unlock(t.Context(), s, cluster, "RUN1"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unlocked what is free: %v", err)
	}
	if _, err := acquire(t.Context(), s, cluster, "RUN1"); err != nil { // its process ends
		t.Fatal(err)
	}
	if _, err := lease.Unlock(t.Context(), s, cluster, "RUN2"); !fault.Is(err, fault.Conflict) {
		t.Errorf("unlocked another run: %v", err)
	}
	if held, err := lease.Unlock(t.Context(), s, cluster, "RUN1"); err != nil || held.Run != "RUN1" {
		t.Fatalf("unlocked %v: %v", held, err)
	}
	next, err := acquire(t.Context(), s, cluster, "RUN3")
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// sleep is for bubbles, in which it takes no time.
func sleep(t *testing.T, d time.Duration) {
	t.Helper()
	if err := (network.Clock{}).Sleep(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

// cuttable loses its network, or the answers to its writes.
type cuttable struct {
	lease.Store
	cut, deaf atomic.Bool
}

var errCut = fault.Newf(fault.Transient, "ask the storage", "the network is down")

func (c *cuttable) Get(ctx context.Context, key string) (store.Object, error) {
	if c.cut.Load() || c.deaf.Load() {
		return store.Object{}, errCut
	}
	return c.Store.Get(ctx, key)
}

func (c *cuttable) Put(ctx context.Context, key string, content []byte, replaced store.Version) (store.Version, error) {
	if c.cut.Load() {
		return "", errCut
	}
	version, err := c.Store.Put(ctx, key, content, replaced)
	if c.deaf.Load() {
		return "", errCut
	}
	return version, err
}

// testHeld: who renews keeps the lock.
func testHeld(t *testing.T, s lease.Store, cluster string) {
	t.Helper()
	first, err := acquire(t.Context(), s, cluster, "RUN1")
	if err != nil {
		t.Fatal(err)
	}
	sleep(t, 10*time.Minute)
	var held *lease.HeldError
	if _, err := acquire(t.Context(), s, cluster, "RUN2"); !errors.As(err, &held) || held.Holder.Run != "RUN1" || held.Holder.Host != "laptop" {
		t.Errorf("error %v, want one that names RUN1", err)
	}
	if err := errors.Join(first.Check(), first.Release(t.Context())); err != nil {
		t.Error(err)
	}
}

// testTakeover: a machine that lost its network is followed after a lifetime, and has stopped before.
func testTakeover(t *testing.T, s lease.Store, cluster string) {
	t.Helper()
	machine := &cuttable{Store: s}
	first, err := acquire(t.Context(), machine, cluster, "RUN1")
	if err != nil {
		t.Fatal(err)
	}
	machine.cut.Store(true)
	began := time.Now()
	second, err := acquire(t.Context(), s, cluster, "RUN2")
	if err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(began); waited < lease.Lifetime || second.Epoch() != first.Epoch()+1 {
		t.Errorf("taken over after %s with epoch %d, want %s and %d", waited, second.Epoch(), lease.Lifetime, first.Epoch()+1)
	}
	if first.Check() == nil {
		t.Error("the first holder goes on")
	}
	machine.cut.Store(false)
	if err := errors.Join(first.Release(t.Context()), second.Check(), second.Release(t.Context())); err != nil {
		t.Error(err)
	}
}

// testLostAnswer: a renewal whose answer was lost is no other one's.
func testLostAnswer(t *testing.T, s lease.Store, cluster string) {
	t.Helper()
	machine := &cuttable{Store: s}
	held, err := acquire(t.Context(), machine, cluster, "RUN1")
	if err != nil {
		t.Fatal(err)
	}
	sleep(t, lease.Interval-time.Second)
	machine.deaf.Store(true)
	sleep(t, 2*time.Second)
	machine.deaf.Store(false)
	sleep(t, lease.Lifetime)
	if err := errors.Join(held.Check(), held.Release(t.Context())); err != nil {
		t.Errorf("after a lost answer: %v", err)
	}
}
