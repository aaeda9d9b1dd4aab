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

// maxSize suffices: the API accepts no object beyond about 1 MiB, and all of them are part of bootstrap.ign.
const maxSize = fileread.Small

func readFile(path string) ([]document, error) {
	content, err := fileread.Text(path, maxSize)
	if err == nil {
		if err = fileread.CheckNesting(content); err != nil {
			err = fmt.Errorf("read %s: %w", path, err)
		}
	}
	if err != nil {
		return nil, newInvalidError(err).WithHint("correct or remove the file")
	}
	return parse(path, content)
}

// listFiles returns sorted paths, without hidden files and those that wanted does not match; nil matches all. It refuses
// subdirectories and other file types, so that nothing is silently omitted.
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
			return nil, newForeignFileError(errors.New(path + " has neither a YAML nor a JSON extension"))
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func newForeignFileError(err error) *fault.Error {
	return newInvalidError(err).WithHint("only *.yaml, *.yml and *.json are installed from there; move all other files away")
}

func isManifest(path string) bool {
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}
