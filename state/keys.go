package state

import (
	"fmt"
	"io/fs"
	"os"
)

// Files with keys, kubeconfigs or identities, in the order of their removal: the operator's own secrets last, as an
// interrupted teardown needs them again.
func listKeyPatterns() []string {
	return []string{
		InstallDir, InstallDir + "-*Z", "." + InstallDir + "-*", keysDir, userDataDir, StewardFile + "*", KeyFile, SecretsDir,
	}
}

// ListKeys lists the files of the folder that hold keys, kubeconfigs or identities.
func (f Folder) ListKeys() ([]string, error) { return f.match(listKeyPatterns()) }

// RemoveKeys removes all keys, kubeconfigs and identities: the cluster is gone.
func (f Folder) RemoveKeys() error { return f.removeAll(listKeyPatterns()) }

// ListOldGenerations lists outdated output of openshift-install that no machine boots from: earlier generations, and the
// incomplete one of a killed run.
func (f Folder) ListOldGenerations() ([]string, error) {
	return f.match([]string{InstallDir + "-*Z", "." + InstallDir + "-*"})
}

// RemoveOldGenerations removes them.
func (f Folder) RemoveOldGenerations() error {
	return f.removeAll([]string{InstallDir + "-*Z", "." + InstallDir + "-*"})
}

func (f Folder) match(patterns []string) ([]string, error) {
	var names []string
	for _, pattern := range patterns {
		found, err := fs.Glob(os.DirFS(f.path), pattern)
		if err != nil {
			return nil, fmt.Errorf("look for keys in %s: %w", f.path, err)
		}
		names = append(names, found...)
	}
	return names, nil
}

func (f Folder) removeAll(patterns []string) error {
	names, err := f.match(patterns)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.RemoveAll(f.Path(name)); err != nil {
			return fmt.Errorf("remove %s: %w", f.Path(name), err)
		}
	}
	return nil
}
