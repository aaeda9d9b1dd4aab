package wizard

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"exoshift/internal/fileread"
	"exoshift/state"
)

// CheckPaths returns all problems of the files and directories that a Spec names, other than secrets. Relative paths
// begin in the working directory.
func CheckPaths(spec state.Spec) []Problem {
	var faults []Problem
	if path := spec.OpenShift.TrustBundle; path != "" {
		_, found := readBundle(path)
		faults = append(faults, withField(trustBundleKey, found)...)
	}
	for _, d := range []struct{ field, path string }{
		{"syn.catalogDir", spec.Syn.CatalogDir}, {"openshift.manifestsDir", spec.OpenShift.ManifestsDir},
	} {
		if d.path != "" {
			faults = append(faults, withField(d.field, validateDirectory(d.path))...)
		}
	}
	return faults
}

func validateDirectory(path string) []Problem {
	info, faults := statPath(path, "directory")
	switch {
	case faults != nil:
		return faults
	case !info.IsDir():
		return newProblem(path+" is not a directory", "the path of a directory", "")
	}
	if _, err := os.ReadDir(path); err != nil {
		return newProblem("cannot be read: "+err.Error(), "a directory that you may read", "")
	}
	return nil
}

func statPath(path, what string) (os.FileInfo, []Problem) {
	info, err := os.Stat(path)
	switch {
	case err != nil && strings.HasPrefix(path, "~"):
		return nil, newProblem("cannot be read: "+err.Error(), "the path written out: ~ is not expanded", "")
	case err != nil:
		return nil, newProblem("cannot be read: "+err.Error(), "the path of an existing "+what, "")
	}
	return info, nil
}

func statRegular(path string) (os.FileInfo, []Problem) {
	info, faults := statPath(path, "file")
	if faults != nil {
		return nil, faults
	}
	if err := fileread.CheckRegular(path, info); err != nil {
		return nil, newProblem(err.Error(), "the path of a file", "")
	}
	return info, nil
}

func readRegular(path string, size int64, read func(path string, size int64) ([]byte, error)) ([]byte, []Problem) {
	if _, faults := statRegular(path); faults != nil {
		return nil, faults
	}
	content, err := read(path, size)
	var local *fs.PathError
	switch {
	case errors.As(err, &local):
		return nil, newProblem("cannot be read: "+err.Error(), "a file that you may read", "")
	case err != nil:
		return nil, newProblem(err.Error(), "", "")
	}
	return content, nil
}
