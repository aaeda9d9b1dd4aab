package wizard

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"exoshift/internal/fileread"
	"exoshift/state"
)

// CheckPaths returns every fault of the files and directories that a Spec names, other than secrets. Relative paths
// begin where the program was started.
func CheckPaths(spec state.Spec) []Fault {
	var faults []Fault
	if path := spec.OpenShift.TrustBundle; path != "" {
		_, found := readBundle(path)
		faults = append(faults, of(trustBundleKey, found)...)
	}
	for _, d := range []struct{ field, path string }{
		{"syn.catalogDir", spec.Syn.CatalogDir}, {"openshift.manifestsDir", spec.OpenShift.ManifestsDir},
	} {
		if d.path != "" {
			faults = append(faults, of(d.field, directory(d.path))...)
		}
	}
	return faults
}

// directory wants a directory that can be listed.
func directory(path string) []Fault {
	info, faults := present(path, "directory")
	switch {
	case faults != nil:
		return faults
	case !info.IsDir():
		return wrong(path+" is not a directory", "the path of a directory", "")
	}
	if _, err := os.ReadDir(path); err != nil {
		return wrong("cannot be read: "+err.Error(), "a directory that you may read", "")
	}
	return nil
}

// present wants something at a path.
func present(path, what string) (os.FileInfo, []Fault) {
	info, err := os.Stat(path)
	switch {
	case err != nil && strings.HasPrefix(path, "~"):
		return nil, wrong("cannot be read: "+err.Error(), "the path written out: ~ is not expanded", "")
	case err != nil:
		return nil, wrong("cannot be read: "+err.Error(), "the path of an existing "+what, "")
	}
	return info, nil
}

// regular wants a regular file at a path.
func regular(path string) (os.FileInfo, []Fault) {
	info, faults := present(path, "file")
	if faults != nil {
		return nil, faults
	}
	if err := fileread.CheckRegular(path, info); err != nil {
		return nil, wrong(err.Error(), "the path of a file", "")
	}
	return info, nil
}

// readRegular reads a regular file of at most so many bytes.
func readRegular(path string, size int64, read func(path string, size int64) ([]byte, error)) ([]byte, []Fault) {
	if _, faults := regular(path); faults != nil {
		return nil, faults
	}
	content, err := read(path, size)
	var local *fs.PathError
	switch {
	case errors.As(err, &local):
		return nil, wrong("cannot be read: "+err.Error(), "a file that you may read", "")
	case err != nil:
		return nil, wrong(err.Error(), "", "")
	}
	return content, nil
}
