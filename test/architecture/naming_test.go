package architecture

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestPackages_HaveComment(t *testing.T) { report(t, silentPackages(ours(t))) }

func TestPackages_AreNamedAfterContent(t *testing.T) { report(t, emptyNames(ours(t))) }

func TestTests_AreNamedAfterUnitAndCase(t *testing.T) {
	report(t, sentenceNames(ours(t)))
	for _, module := range []string{"test/cluster", "test/e2e", "test/foreign"} {
		t.Run(module, func(t *testing.T) { report(t, sentenceNames(load(t, os.DirFS("../../"+module)))) })
	}
}

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

const (
	mostWordsOfATest   = 5
	mostLettersOfATest = 60
)

// sentenceNames finds tests whose name is a sentence: it is read in a list of failures, where the unit has to come first.
func sentenceNames(p project) (violations []string) {
	for _, file := range p.sources {
		for _, declaration := range file.syntax.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || !file.test || f.Recv != nil {
				continue
			}
			if fault := describeTestName(f.Name.Name); fault != "" {
				violations = append(violations, fmt.Sprintf("%s: %s %s", file.path, f.Name.Name, fault))
			}
		}
	}
	return violations
}

// describeTestName returns what is wrong with a function's name, if it is a test's.
func describeTestName(name string) string {
	match := testName.FindStringSubmatch(name)
	switch {
	case match == nil:
		return ""
	case len(name) > mostLettersOfATest:
		return fmt.Sprintf("has %d letters, a test's name at most %d", len(name), mostLettersOfATest)
	case !strings.Contains(match[1], "_") && len(word.FindAllString(match[1], -1)) > mostWordsOfATest:
		return "is a sentence; name a test after its unit and the case, Test<Unit>_<Case>"
	}
	return ""
}

// testName matches the functions that go test runs; its group is what follows the kind.
var testName = regexp.MustCompile(`^(?:Test|Benchmark|Fuzz)([A-Z_].*)$`)

// word matches a word of a name in mixed case, an abbreviation like HTTPS, or a number.
var word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+|[0-9]+`)
