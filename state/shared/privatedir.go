package shared

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"exoshift/internal/fileread"
)

// unsavedMark is a file in a copy that could not be stored.
const unsavedMark = "unsaved"

// lockSuffix names the file beside a private directory that its process has locked.
const lockSuffix = ".in-use"

// privateDir is a directory that goes when its process ends, or when the next one starts.
type privateDir struct {
	path string
	lock *flock.Flock
}

// createPrivateDir makes a directory below parent, 0700, and removes those that killed processes have left.
func createPrivateDir(parent, name string) (privateDir, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return privateDir{}, fmt.Errorf("make a private directory: %w", err)
	}
	removeLeftovers(parent)
	path, err := os.MkdirTemp(parent, name+"-")
	if err != nil {
		return privateDir{}, fmt.Errorf("make a private directory: %w", err)
	}
	lock := flock.New(path+lockSuffix, flock.SetPermissions(0o600))
	if _, err := lock.TryLock(); err != nil {
		return privateDir{}, fmt.Errorf("make a private directory: %w", errors.Join(err, os.RemoveAll(path)))
	}
	return privateDir{path, lock}, nil
}

func removeLeftovers(parent string) {
	locks, _ := filepath.Glob(filepath.Join(parent, "*"+lockSuffix)) // the pattern is valid
	for _, path := range locks {
		dir := privateDir{path[:len(path)-len(lockSuffix)], flock.New(path)}
		if fileread.CheckPath(path) != nil {
			continue
		}
		if free, err := dir.lock.TryLock(); err != nil || !free {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir.path, unsavedMark)); errors.Is(err, fs.ErrNotExist) {
			_ = dir.remove() // the next one tries again
		} else {
			_ = dir.lock.Close()
		}
	}
}

func (d privateDir) remove() error {
	if d.path == "" {
		return nil
	}
	err := os.RemoveAll(d.path)
	if removal := os.Remove(d.path + lockSuffix); removal != nil && !errors.Is(removal, fs.ErrNotExist) {
		err = errors.Join(err, removal)
	}
	if err = errors.Join(err, d.lock.Close()); err != nil {
		return fmt.Errorf("remove a private directory: %w", err)
	}
	return nil
}

// keep leaves the directory to whoever runs the program next.
func (d privateDir) keep() error {
	err := os.WriteFile(filepath.Join(d.path, unsavedMark), nil, 0o600)
	return errors.Join(err, d.lock.Close())
}
