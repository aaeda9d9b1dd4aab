package store_test

import (
	"context"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state/store"
	"exoshift/state/store/storetest"
)

func TestDirectory(t *testing.T) {
	directory, err := store.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	storetest.Run(t, directory)
}

// careless ignores the conditions, as some object storage does.
type careless struct{ store.Directory }

func (c careless) Put(ctx context.Context, key string, content []byte, _ store.Version) (store.Version, error) {
	stored, err := c.Get(ctx, key)
	if err != nil {
		return c.Directory.Put(ctx, key, content, "")
	}
	return c.Directory.Put(ctx, key, content, stored.Version)
}

func TestCheckConditions_RefusesStorageThatIgnoresThem(t *testing.T) {
	directory, err := store.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.CheckConditions(t.Context(), careless{directory}, ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("error %v, want one of an invalid storage", err)
	}
}
