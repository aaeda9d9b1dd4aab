package manifests

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

// maxSize bounds a file: the API takes no object beyond about 1 MiB, and all of them travel in bootstrap.ign.
const maxSize = fileread.Small

// readFile returns the objects of a file.
func readFile(path string) ([]document, error) {
	content, err := fileread.Text(path, maxSize)
	if err == nil {
		if err = fileread.CheckNesting(content); err != nil {
			err = fmt.Errorf("read %s: %w", path, err)
		}
	}
	if err != nil {
		return nil, newInvalidError(err).WithHint("correct the file, or take it away")
	}
	return parse(path, content)
}

// listFiles returns the paths of what a directory holds, sorted, without hidden files and those that are not wanted; nil wants
// all. Directories below it and files of other forms are refused, so that nothing is left out in silence.
func listFiles(dir string, wanted *regexp.Regexp) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, newInvalidError(err).WithHint("correct the directory in the answers file")
	}
	var paths []string
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."), wanted != nil && !wanted.MatchString(entry.Name()):
			continue
		case entry.IsDir():
			return nil, newForeignFileError(errors.New(path + " is a directory"))
		case !isManifest(path):
			return nil, newForeignFileError(errors.New(path + " is neither YAML nor JSON by its name"))
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func newForeignFileError(err error) *fault.Error {
	return newInvalidError(err).WithHint("only files *.yaml, *.yml and *.json are installed from there; move everything else away")
}

func isManifest(path string) bool {
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}
