package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

// writeLock is locked by the operating system during each Put. It is no valid key.
const writeLock = "~lock"

// Directory is a store in a directory of a file system that has locks.
type Directory struct{ path string }

// OpenDirectory names a directory, which the first Put creates, 0700, if it does not exist.
func OpenDirectory(path string) (Directory, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Directory{}, fmt.Errorf("open the directory of shared state: %w", err)
	}
	return Directory{path}, nil
}

// Get reads a file. Its version is the checksum of its content.
func (d Directory) Get(_ context.Context, key string) (Object, error) {
	path, err := d.locate(key)
	if err != nil {
		return Object{}, err
	}
	content, err := fileread.Bytes(path, fileread.Large)
	if errors.Is(err, fs.ErrNotExist) {
		return Object{}, newMissing(key)
	}
	if err != nil {
		return Object{}, fmt.Errorf("get %s: %w", key, err)
	}
	return Object{content, calculateVersion(content)}, nil
}

// Put replaces a file atomically.
func (d Directory) Put(ctx context.Context, key string, content []byte, replaced Version) (Version, error) {
	path, err := d.locate(key)
	if err != nil {
		return "", err
	}
	unlock, err := d.lock()
	if err != nil {
		return "", fmt.Errorf("put %s: %w", key, err)
	}
	defer unlock()
	switch stored, err := d.Get(ctx, key); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	case stored.Version != replaced:
		return "", fmt.Errorf("put %s: %w", key, ErrConflict)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("put %s: %w", key, err)
	}
	if err := renameio.WriteFile(path, content, 0o600); err != nil {
		return "", fmt.Errorf("put %s: %w", key, err)
	}
	return calculateVersion(content), nil
}

func (d Directory) lock() (unlock func(), err error) {
	path := filepath.Join(d.path, writeLock)
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return nil, err
	}
	if err := fileread.CheckPath(path); err != nil {
		return nil, err
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	return func() { _ = lock.Close() }, lock.Lock()
}

// List walks the directory that all keys with the prefix are in.
func (d Directory) List(_ context.Context, prefix string) ([]string, error) {
	root := d.path
	if end := strings.LastIndexByte(prefix, '/'); end >= 0 {
		var err error
		if root, err = d.locate(prefix[:end]); err != nil {
			return nil, err
		}
	}
	var keys []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if path == root && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		key, err := filepath.Rel(d.path, path)
		key = filepath.ToSlash(key)
		if err == nil && strings.HasPrefix(key, prefix) && CheckKey(key) == nil {
			keys = append(keys, key)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", prefix, err)
	}
	slices.Sort(keys)
	return keys, nil
}

// ListNames reads one directory.
func (d Directory) ListNames(_ context.Context, prefix string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(d.path, filepath.FromSlash(prefix)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", prefix, err)
	}
	var names []string
	for _, entry := range entries { // sorted by name
		if CheckKey(entry.Name()) == nil {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// Delete removes a file.
func (d Directory) Delete(_ context.Context, key string) error {
	path, err := d.locate(key)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

func (d Directory) locate(key string) (string, error) {
	if err := CheckKey(key); err != nil {
		return "", err
	}
	return filepath.Join(d.path, filepath.FromSlash(key)), nil
}

func calculateVersion(content []byte) Version {
	sum := sha256.Sum256(content)
	return Version(hex.EncodeToString(sum[:]))
}

// CheckKey verifies the form of a key.
func CheckKey(key string) error {
	for segment := range strings.SplitSeq(key, "/") {
		if segment == "" || segment[0] == '.' || strings.ContainsFunc(segment, isForbidden) {
			return fault.Newf(fault.Invalid, "use an object of shared state", "%q is not a valid key", key)
		}
	}
	return nil
}

func isForbidden(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '-' && r != '_'
}
