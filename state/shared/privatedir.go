package shared

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"exoshift/internal/fileread"
	"exoshift/state"
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
	for {
		dir, isOurs, err := lockPrivateDir(parent, name)
		if err != nil {
			return privateDir{}, fmt.Errorf("make a private directory: %w", err)
		}
		if isOurs {
			return dir, nil
		}
	}
}

// lockPrivateDir makes a directory and then locks it. In between, another process may take it for what a killed one has left, and
// remove it: then it is not ours.
func lockPrivateDir(parent, name string) (dir privateDir, isOurs bool, err error) {
	if dir.path, err = os.MkdirTemp(parent, name+"-"); err != nil {
		return dir, false, err
	}
	dir.lock = flock.New(dir.path+lockSuffix, flock.SetPermissions(0o600))
	locked, err := dir.lock.TryLock()
	if err != nil {
		return dir, false, errors.Join(err, os.RemoveAll(dir.path))
	}
	if locked {
		if _, err = os.Lstat(dir.path); err == nil {
			return dir, true, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return dir, false, errors.Join(err, dir.lock.Close())
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

// removeUnsavedKeys removes the keys of a destroyed cluster from the copies that could not be stored: this one's facts say that it was.
func (d privateDir) removeUnsavedKeys(id string) error {
	facts, err := d.open().LoadFacts()
	if err != nil || facts.Destroyed.IsZero() {
		return err
	}
	marks, _ := filepath.Glob(filepath.Join(filepath.Dir(d.path), id+"-*", unsavedMark)) // an ID is no pattern
	for _, mark := range marks {
		unsaved := privateDir{path: filepath.Dir(mark)}
		if name := filepath.Base(unsaved.path); name[:strings.LastIndexByte(name, '-')] == id {
			err = errors.Join(err, unsaved.open().RemoveKeys())
		}
	}
	return err
}

func (d privateDir) open() state.Folder {
	folder, _ := state.OpenReadOnly(d.path) // its path is absolute
	return folder
}
