package store_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/store"
)

type row struct{ Name string }

func load(t *testing.T, db *store.DB) *store.Table[row] {
	t.Helper()
	table, err := store.Load[row](db, "rows")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestStore_PersistsOperations(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	table := load(t, db)
	for _, key := range []string{"b", "a", "c"} {
		if err := table.Put(key, row{key}); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Delete("c"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = store.Open(dir); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if diff := cmp.Diff([]row{{"a"}, {"b"}}, load(t, db).List()); diff != "" {
		t.Error(diff)
	}
}

func TestStore_Memory(t *testing.T) {
	db := store.NewMemory()
	table := load(t, db)
	if err := table.Put("a", row{"x"}); err != nil {
		t.Fatal(err)
	}
	if got, ok := table.Get("a"); !ok || got.Name != "x" {
		t.Error(got, ok)
	}
	if err := table.Delete("a"); err != nil {
		t.Fatal(err)
	}
	if _, ok := table.Get("a"); ok {
		t.Error("deleted, and still there")
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestStore_SingleOwner(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(dir); !errors.Is(err, store.ErrInUse) {
		t.Errorf("the second process was told %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := store.Open(dir)
	if err != nil {
		t.Fatalf("after the first one has gone: %v", err)
	}
	_ = again.Close()
}
