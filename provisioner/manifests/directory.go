package manifests

import (
	"fmt"
	"path/filepath"
	"strings"
)

func (c *collection) fromDirectory(dir string) error {
	if dir == "" {
		return nil
	}
	paths, err := listFiles(dir, nil)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return newInvalidError(fmt.Errorf("%s contains no manifests", dir)).
			WithHint("add manifests, or remove openshift.manifestsDir from the answers file")
	}
	for _, path := range paths {
		if err := c.fromFile("", path); err != nil {
			return err
		}
	}
	return nil
}

// fromFile keeps the file's name, after a prefix, and numbers the objects if there are several: openshift-install's own manifests
// hold one object each.
func (c *collection) fromFile(prefix, path string, change ...func(document) (document, error)) error {
	found, err := readFile(path)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return newInvalidError(fmt.Errorf("%s contains no object", path)).WithHint("correct or remove the file")
	}
	for i, d := range found {
		for _, apply := range change {
			if d, err = apply(d); err != nil {
				return err
			}
		}
		if err := c.add(d.folder()+prefix+formatNumbered(filepath.Base(path), i, len(found)), d); err != nil {
			return err
		}
	}
	return nil
}

func (d document) folder() string {
	if d.kind == machineConfig {
		return machineFolder
	}
	return plainFolder
}

func formatNumbered(base string, index, count int) string {
	if count == 1 {
		return base
	}
	ending := filepath.Ext(base)
	return fmt.Sprintf("%s-%02d%s", strings.TrimSuffix(base, ending), index+1, ending)
}
