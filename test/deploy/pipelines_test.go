package deploy

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// readPipelines returns the targets of the files that run the project's own tests at GitHub and at GitLab.
func readPipelines(t *testing.T) (github, gitlab []string) {
	t.Helper()
	for _, name := range []string{"../../.github/workflows/ci.yml", "../../.github/workflows/nightly.yml"} {
		github = append(github, listTargets(t, name)...)
	}
	slices.Sort(github)
	gitlab = listTargets(t, "../../.gitlab-ci.yml")
	return slices.Compact(github), gitlab
}

var (
	makeCall  = regexp.MustCompile(`(?m)(?:- |run: )make (\S.*)$`)
	matrixRow = regexp.MustCompile(`(?im)target: \[([a-z0-9, -]+)\]`)
)

// listTargets returns the make targets of a file, with those of its matrix.
func listTargets(t *testing.T, name string) []string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var parsed map[string]any
	if err := yaml.Unmarshal(content, &parsed); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var targets []string
	for _, call := range makeCall.FindAllStringSubmatch(string(content), -1) {
		if !strings.HasPrefix(call[1], "$") {
			targets = append(targets, call[1])
		}
	}
	for _, row := range matrixRow.FindAllStringSubmatch(string(content), -1) {
		targets = append(targets, strings.Split(row[1], ", ")...)
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

// Both run the same targets, which the Makefile has.
func TestPipelines_RunTheSameTargets(t *testing.T) {
	github, gitlab := readPipelines(t)
	if !slices.Equal(github, gitlab) || len(github) < 8 {
		t.Errorf("GitHub runs %v, GitLab %v", github, gitlab)
	}
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range github {
		if !regexp.MustCompile(`(?m)^` + target + `:`).Match(makefile) {
			t.Errorf("the Makefile has no target %s", target)
		}
	}
}

// GitLab's image has the version of Go that go.mod asks for; GitHub reads it there.
func TestPipelines_GoVersion(t *testing.T) {
	module, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	pipeline, err := os.ReadFile("../../.gitlab-ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(module))
	if version == nil || !strings.Contains(string(pipeline), "image: golang:"+version[1]+"-") {
		t.Errorf("go.mod asks for %v", version)
	}
}
