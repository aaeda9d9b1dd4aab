package architecture

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestEveryPackageSaysWhatItIsFor(t *testing.T) { report(t, silentPackages(ours(t))) }

func TestPackagesAreNamedAfterWhatTheyHold(t *testing.T) { report(t, emptyNames(ours(t))) }

// silentPackages finds packages without a comment. A comment in a test file serves a package that is only tests.
func silentPackages(p project) (violations []string) {
	spoken := map[string]bool{}
	for _, file := range p.sources {
		comment := file.syntax.Doc.Text()
		opens := strings.HasPrefix(comment, "Package "+file.syntax.Name.Name+" ") || strings.HasPrefix(comment, "Command ")
		spoken[file.dir] = spoken[file.dir] || opens && (!file.test || p.onlyTests(file.dir))
	}
	for dir, ok := range spoken {
		if !ok {
			violations = append(violations, fmt.Sprintf("%s: a package opens with a comment, \"Package %s ...\"", dir, path.Base(dir)))
		}
	}
	slices.Sort(violations)
	return violations
}

func (p project) onlyTests(dir string) bool {
	return !slices.ContainsFunc(p.sources, func(file source) bool { return file.dir == dir && !file.test })
}

// emptyNames finds packages and files whose name would take in anything.
func emptyNames(p project) (violations []string) {
	empty := []string{"util", "utils", "common", "helper", "helpers", "manager", "misc"}
	for _, file := range p.sources {
		name := strings.TrimSuffix(strings.TrimSuffix(path.Base(file.path), ".go"), "_test")
		for _, word := range []string{file.syntax.Name.Name, path.Base(file.dir), name} {
			if slices.Contains(empty, word) {
				violations = append(violations, fmt.Sprintf("%s: %q says nothing; name it after what it holds", file.path, word))
			}
		}
	}
	return violations
}
