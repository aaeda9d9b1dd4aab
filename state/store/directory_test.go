package store_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state/store"
	"exoshift/state/store/storetest"
)

func TestDirectory(t *testing.T) {
	directory, err := store.OpenDirectory(filepath.Join(t.TempDir(), "new"))
	if err != nil {
		t.Fatal(err)
	}
	storetest.Run(t, directory)
}

// A mistyped path is no state, and leaves no directory behind.
func TestDirectory_ReadingCreatesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mistyped")
	directory, err := store.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := directory.Get(t.Context(), "clusters/c-demo-1/head.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("get: %v", err)
	}
	if keys, err := directory.List(t.Context(), ""); len(keys) != 0 || err != nil {
		t.Errorf("list: %v, %v", keys, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was created: %v", err)
	}
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

func TestDirectory_PipesInPlaceOfFiles(t *testing.T) {
	path := t.TempDir()
	directory, err := store.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"~lock", "state.json"} {
		if err := syscall.Mkfifo(filepath.Join(path, name), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := directory.Put(t.Context(), "state.json", nil, ""); err == nil || !strings.Contains(err.Error(), name+" is a pipe") {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
}
