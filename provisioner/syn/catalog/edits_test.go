package catalog_test

import (
	"testing"

	"exoshift/internal/simcloud/githost"
	"exoshift/state"
)

func TestCompare_EditsOfExistingFiles(t *testing.T) {
	class := []state.YAMLEdit{{Path: []string{"classes"}, Item: ".openshift4", Files: []string{"openshift4.yml", "openshift4.yaml"}}}
	for name, want := range map[string]string{"other.yml": "", "openshift4.yml": "classes:\n  - .openshift4\n", "openshift4.yaml": "classes:\n  - .openshift4\n"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, githost.Config{})
			w.commit(t, tenantRepo, map[string]string{name: ""})
			git := w.byToken()
			seen, err := git.Compare(t.Context(), repo(tenantRepo), file, class)
			must(t, err)
			if (seen.Unified == "") != (want == "") {
				t.Errorf("compared: %q", seen.Unified)
			}
			_, err = git.Commit(t.Context(), repo(tenantRepo), file, class, "Class")
			must(t, err)
			if got := w.file(t, tenantRepo, file); got != want {
				t.Errorf("committed %q, want %q", got, want)
			}
		})
	}
}
