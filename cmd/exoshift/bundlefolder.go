package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/bundle"
	"exoshift/internal/fileread"
	"exoshift/state"
)

// openBundle unpacks an archive into a temporary folder, which remove deletes. damage is why a part of it is missing; it is
// no reason not to show the rest.
func openBundle(name string) (folder state.Folder, remove func(), damage, err error) {
	file, err := fileread.Open(name, fileread.Large)
	if err != nil {
		return folder, nil, nil, exit.WithCode(exit.Usage, fmt.Errorf("open the bundle: %w", err))
	}
	defer file.Close()
	unpacked, err := bundle.Open(file)
	if err != nil {
		return folder, nil, nil, exit.WithCode(exit.Usage, fmt.Errorf("open the bundle %s: %w", name, err))
	}
	dir, err := os.MkdirTemp("", "exoshift-bundle-")
	if err != nil {
		return folder, nil, nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	remove = func() { _ = os.RemoveAll(dir) }
	for path, content := range unpacked.Files {
		if err := writeUnpacked(dir, path, content); err != nil {
			remove()
			return folder, nil, nil, fmt.Errorf("unpack %s: %w", name, err)
		}
	}
	if unpacked.Damage != nil {
		damage = exit.WithCode(exit.Answers, fmt.Errorf("%s: %w", name, unpacked.Damage))
	}
	folder, err = state.OpenReadOnly(dir)
	if err != nil {
		remove()
	}
	return folder, remove, damage, err
}

// writeUnpacked writes into a new folder, in which there is no link that a name could follow.
func writeUnpacked(dir, name string, content []byte) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%q leads out of the archive", name)
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// findFolder opens the folder of a cluster, or unpacks the archive that dir names. remove is to be called at the end.
func findFolder(dir string) (folder state.Folder, remove func(), damage, err error) {
	if isArchive(dir) {
		return openBundle(dir)
	}
	folder, err = clusterdir.Find(dir)
	return folder, func() {}, nil, err
}

func isArchive(path string) bool {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return false
	}
	return strings.HasSuffix(path, packed) || strings.HasSuffix(path, ".tgz")
}
