// Package store is for state that several machines share: objects by key, each replaced only by who has seen what it replaces.
// Directory keeps them on a file system; package s3 in object storage.
package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"exoshift/internal/fault"
)

// Version identifies what is stored at a key at one moment. "" stands for nothing.
type Version string

// Object is what is stored at a key.
type Object struct {
	Content []byte
	Version Version
}

// ErrConflict reports that something else is stored than what was to be replaced.
var ErrConflict = errors.New("it was changed concurrently")

// Store keeps objects by key. Keys consist of segments of letters, digits, dots, dashes and underscores, separated by slashes.
// Contents that are written must be unique, e.g. by a nonce: only so can one's own write be recognized whose answer was lost.
type Store interface {
	// Get returns an object; it fails with fs.ErrNotExist if there is none.
	Get(ctx context.Context, key string) (Object, error)
	// Put stores content if the version that is stored is still replaced, which is "" to create an object; otherwise it fails with
	// ErrConflict.
	Put(ctx context.Context, key string, content []byte, replaced Version) (Version, error)
	// List returns the keys that begin with a prefix, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
	// ListNames returns the segments of keys that directly follow a prefix, which ends with a slash or is "", sorted: with few
	// requests, however many keys there are below each.
	ListNames(ctx context.Context, prefix string) ([]string, error)
	// Delete removes an object; a missing one is no error.
	Delete(ctx context.Context, key string) error
}

// CheckConditions verifies that a store honours the conditions of Put: some object storage ignores them, and would let two
// writers overwrite each other.
func CheckConditions(ctx context.Context, s Store, prefix string) (err error) {
	const op = "check that the storage supports conditional writes"
	key := prefix + "probe-" + rand.Text()
	defer func() { err = errors.Join(err, s.Delete(context.WithoutCancel(ctx), key)) }()
	if _, err := s.Put(ctx, key, []byte(rand.Text()), ""); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	for _, replaced := range []Version{"", "00000000000000000000000000000000"} {
		switch _, err := s.Put(ctx, key, []byte(rand.Text()), replaced); {
		case err == nil:
			return fault.Newf(fault.Invalid, op, "it replaced an object instead of rejecting the write, so two machines could change one cluster").
				WithHint("use an object storage with conditional writes (If-Match and If-None-Match), or have the locks held elsewhere: exoshift state init --lock kubernetes:NAMESPACE, or --lock gitlab:PROJECT")
		case !errors.Is(err, ErrConflict):
			return fmt.Errorf("%s: %w", op, err)
		}
	}
	return nil
}

func newMissing(key string) error { return &fs.PathError{Op: "get", Path: key, Err: fs.ErrNotExist} }
