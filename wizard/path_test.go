package wizard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

func TestCheckPaths_DirectoryMustExist(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":            "",
		dir:           "",
		dir + "/none": "cannot be read: stat " + dir + "/none: no such file or directory  allowed: the path of an existing directory",
		"~/manifests": "cannot be read: stat ~/manifests: no such file or directory  allowed: the full path: ~ is not expanded",
		file:          file + " is not a directory  allowed: the path of a directory",
	} {
		spec := valid()
		spec.Syn.CatalogDir, spec.OpenShift.ManifestsDir = path, path
		if want != "" {
			want = "syn.catalogDir  " + want + "\nopenshift.manifestsDir  " + want + "\n"
		}
		if diff := cmp.Diff(want, lines(local.CheckPaths(spec))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestCheckPaths_RelativeToWorkingDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("manifests", 0o700); err != nil {
		t.Fatal(err)
	}
	spec := valid()
	spec.OpenShift.ManifestsDir = "./manifests"
	if faults := local.CheckPaths(spec); len(faults) > 0 {
		t.Errorf("faults:\n%s", lines(faults))
	}
}

func TestLoad_LocatesMissingPath(t *testing.T) {
	t.Chdir(t.TempDir())
	content := minimal + "  trustBundle: ca.pem\n  manifestsDir: manifests\nsyn:\n  catalogDir: catalog\n"
	_, _, faults := answersfile.Load("f", []byte(content), environment(map[string]string{
		"EXOSCALE_API_KEY": "k", "EXOSCALE_API_SECRET": "s", "PULL_SECRET": pullSecret,
	}))
	var places []string
	for line := range strings.Lines(lines(faults)) {
		place, _, _ := strings.Cut(line, "  cannot be read: stat ")
		places = append(places, place)
	}
	want := []string{"f:9:16  openshift.trustBundle", "f:10:17  openshift.manifestsDir", "f:12:15  syn.catalogDir"}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, lines(faults))
	}
}
