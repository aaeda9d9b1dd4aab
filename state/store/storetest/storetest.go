// Package storetest has the tests that every store of shared state has to pass.
package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"exoshift/state/store"
)

// Run tests a store, below a prefix of its own.
func Run(t *testing.T, s store.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, store.Store, string){
		"Missing": testMissing, "CreateOnly": testCreateOnly, "Replace": testReplace, "List": testList, "ListNames": testListNames, "Race": testRace,
		"Keys": testKeys, "Conditions": testConditions, "Large": testLarge,
	} {
		t.Run(name, func(t *testing.T) { test(t, s, strings.ToLower(rand.Text())+"/") })
	}
}

func testMissing(t *testing.T, s store.Store, prefix string) {
	if _, err := s.Get(t.Context(), prefix+"missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("get: %v, want fs.ErrNotExist", err)
	}
	if err := s.Delete(t.Context(), prefix+"missing"); err != nil {
		t.Errorf("delete: %v", err)
	}
	if _, err := s.Put(t.Context(), prefix+"missing", []byte("x"), "0123"); !errors.Is(err, store.ErrConflict) {
		t.Errorf("replace: %v, want a conflict", err)
	}
}

func testCreateOnly(t *testing.T, s store.Store, prefix string) {
	mustPut(t, s, prefix+"a", "one", "")
	if _, err := s.Put(t.Context(), prefix+"a", []byte("two"), ""); !errors.Is(err, store.ErrConflict) {
		t.Errorf("create again: %v, want a conflict", err)
	}
	wantContent(t, s, prefix+"a", "one")
	if _, err := s.Put(t.Context(), prefix+"a", []byte("one"), ""); err != nil && !errors.Is(err, store.ErrConflict) {
		t.Errorf("create with the same content: %v", err)
	}
}

func testReplace(t *testing.T, s store.Store, prefix string) {
	first := mustPut(t, s, prefix+"a", "one", "")
	second := mustPut(t, s, prefix+"a", "two", first)
	if first == second {
		t.Errorf("both versions are %q", first)
	}
	if _, err := s.Put(t.Context(), prefix+"a", []byte("three"), first); !errors.Is(err, store.ErrConflict) {
		t.Errorf("replace an old version: %v, want a conflict", err)
	}
	wantContent(t, s, prefix+"a", "two")
	if got, err := s.Get(t.Context(), prefix+"a"); err != nil || got.Version != second {
		t.Errorf("version %q (%v), want %q", got.Version, err, second)
	}
	if err := s.Delete(t.Context(), prefix+"a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), prefix+"a", []byte("four"), second); !errors.Is(err, store.ErrConflict) {
		t.Errorf("replace what was deleted: %v, want a conflict", err)
	}
}

func testList(t *testing.T, s store.Store, prefix string) {
	for _, key := range []string{"b/2", "a/1", "b/10", "bc"} {
		mustPut(t, s, prefix+key, key, "")
	}
	for within, want := range map[string][]string{"": {"a/1", "b/10", "b/2", "bc"}, "b/": {"b/10", "b/2"}, "none/": nil} {
		got, err := s.List(t.Context(), prefix+within)
		for n := range got {
			got[n] = strings.TrimPrefix(got[n], prefix)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v (%v), want %v", within, got, err, want)
		}
	}
}

func testListNames(t *testing.T, s store.Store, prefix string) {
	for _, key := range []string{"b/2", "a/1", "b/10", "b.c", "b/d/e"} {
		mustPut(t, s, prefix+key, key, "")
	}
	for within, want := range map[string][]string{"": {"a", "b", "b.c"}, "b/": {"10", "2", "d"}, "none/": nil} {
		if got, err := s.ListNames(t.Context(), prefix+within); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v (%v), want %v", within, got, err, want)
		}
	}
}

// testRace has writers that all have seen the same version: one of them succeeds.
func testRace(t *testing.T, s store.Store, prefix string) {
	var replaced store.Version
	for range 3 {
		var succeeded atomic.Int32
		var winner atomic.Value
		var writers sync.WaitGroup
		for range 8 {
			writers.Go(func() {
				version, err := s.Put(t.Context(), prefix+"race", []byte(rand.Text()), replaced)
				switch {
				case err == nil:
					succeeded.Add(1)
					winner.Store(version)
				case !errors.Is(err, store.ErrConflict):
					t.Errorf("put: %v", err)
				}
			})
		}
		writers.Wait()
		if succeeded.Load() != 1 {
			t.Fatalf("%d of 8 writers succeeded, want 1", succeeded.Load())
		}
		replaced, _ = winner.Load().(store.Version)
	}
}

func testKeys(t *testing.T, s store.Store, _ string) {
	for _, key := range []string{"", "/a", "a//b", "../a", "a/../b", ".a", "a b", "a\x00", "ä", "~lock"} {
		if _, err := s.Put(t.Context(), key, []byte("x"), ""); err == nil {
			t.Errorf("%q was accepted", key)
		}
	}
}

func testConditions(t *testing.T, s store.Store, prefix string) {
	if err := store.CheckConditions(t.Context(), s, prefix); err != nil {
		t.Error(err)
	}
	if left, err := s.List(t.Context(), prefix); err != nil || len(left) > 0 {
		t.Errorf("the probe left %v (%v)", left, err)
	}
}

// testLarge is larger than a part of a multipart upload, in which conditions are lost.
func testLarge(t *testing.T, s store.Store, prefix string) {
	large := strings.Repeat("0123456789abcdef", 20<<20/16)
	mustPut(t, s, prefix+"large", large, "")
	if _, err := s.Put(t.Context(), prefix+"large", []byte(large+"x"), ""); !errors.Is(err, store.ErrConflict) {
		t.Errorf("create again: %v, want a conflict", err)
	}
	wantContent(t, s, prefix+"large", large)
}

func mustPut(t *testing.T, s store.Store, key, content string, replaced store.Version) store.Version {
	t.Helper()
	version, err := s.Put(t.Context(), key, []byte(content), replaced)
	if err != nil {
		t.Fatal(err)
	}
	return version
}

func wantContent(t *testing.T, s store.Store, key, want string) {
	t.Helper()
	if got, err := s.Get(context.WithoutCancel(t.Context()), key); err != nil || string(got.Content) != want {
		t.Errorf("%s: %d bytes (%v), want %d", key, len(got.Content), err, len(want))
	}
}
