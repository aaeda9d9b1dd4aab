package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// InsecureFile is a file or folder whose mode or owner is wrong.
type InsecureFile struct {
	Name    string // below the folder, "." for the folder itself
	Mode    fs.FileMode
	Want    fs.FileMode // 0: the mode is right
	Foreign bool        // it belongs to another user
}

// CheckModes lists files that others may read, that their owner may not, or that belong to another user.
func (f Folder) CheckModes() ([]InsecureFile, error) {
	var found []InsecureFile
	err := filepath.WalkDir(f.path, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // removed since the listing, by a running installation
			return nil
		}
		if errors.Is(err, fs.ErrPermission) && entry != nil { // a folder without permissions is reported by its own mode
			return fs.SkipDir
		}
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		file := InsecureFile{Mode: info.Mode(), Want: computePrivateMode(info.Mode()), Foreign: isForeign(info)}
		if file.Want != 0 || file.Foreign {
			file.Name, err = filepath.Rel(f.path, path)
			found = append(found, file)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("check the modes in %s: %w", f.path, err)
	}
	return found, nil
}

// RestoreModes restores the modes of all files in the folder, and returns those that were wrong.
func (f Folder) RestoreModes() ([]InsecureFile, error) {
	var restored []InsecureFile
	for {
		found, err := f.CheckModes()
		if err != nil {
			return restored, err
		}
		changed := false
		for _, file := range found {
			if file.Want == 0 || file.Foreign {
				continue
			}
			if err := os.Chmod(f.Path(file.Name), file.Want); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return restored, fmt.Errorf("restore the modes in %s: %w", f.path, err)
			}
			restored = append(restored, file)
			changed = true
		}
		if !changed { // a folder that was not readable is listed again
			return restored, nil
		}
	}
}

// computePrivateMode returns 0 if the mode is right. Programs stay executable for their owner.
func computePrivateMode(mode fs.FileMode) fs.FileMode {
	want := mode.Perm()
	switch {
	case mode.IsDir():
		want = 0o700
	case mode.IsRegular():
		want = mode.Perm()&0o100 | 0o600
	}
	if want == mode.Perm() {
		return 0
	}
	return want
}

func isForeign(info fs.FileInfo) bool {
	owner, known := info.Sys().(*syscall.Stat_t)
	return known && int(owner.Uid) != os.Geteuid()
}
