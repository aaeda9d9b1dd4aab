package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release"
)

func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my installer")
	writeManifest(t, path, script)
	if err := os.Chmod(path, 0o500); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFetch_LocalProgramInPlace(t *testing.T) {
	m := newMirror(t)
	path := program(t, versionScript+"echo '{}'")
	for _, version := range []string{"4.20.5", "stable-4.20"} {
		i := m.choose(release.Choice{Distribution: "ocp", Version: version, Program: path})
		got, err := i.Fetch(t.Context(), "4.20.5", func(string) {})
		if err != nil || got.Version != "4.20.5" || got.Image != payload {
			t.Errorf("%s: %+v, %v", version, got, err)
		}
		if _, err := i.FindBootImage(t.Context()); !fault.Is(err, fault.NotFound) {
			t.Errorf("it was not run: %v", err)
		}
	}
	if len(m.served) > 0 || len(m.cached(t)) > 0 {
		t.Errorf("asked for %v, kept %v", m.served, m.cached(t))
	}
}

func TestFetch_LocalProgramMustMatch(t *testing.T) {
	m := newMirror(t)
	good, plain := program(t, versionScript), filepath.Join(t.TempDir(), "plain")
	writeManifest(t, plain, versionScript)
	for name, test := range map[string]struct {
		path, distribution, version, noted string
		kind                               fault.Kind
		want                               string
	}{
		"missing":              {plain + "x", "ocp", "4.20.5", "", fault.Invalid, "no such file"},
		"a folder":             {filepath.Dir(plain), "ocp", "4.20.5", "", fault.Invalid, "not a regular file"},
		"not executable":       {plain, "ocp", "4.20.5", "", fault.Invalid, "not executable"},
		"no program":           {program(t, "\x7fELF nonsense"), "ocp", "4.20.5", "", fault.Conflict, "exec format"},
		"another version":      {good, "ocp", "4.20.6", "", fault.Conflict, "its version is 4.20.5 instead of 4.20.6"},
		"another minor":        {good, "ocp", "stable-4.21", "", fault.Conflict, "its version is 4.20.5 instead of stable-4.21"},
		"another was noted":    {good, "ocp", "stable-4.20", "4.20.4", fault.Conflict, "its version is 4.20.5, but this installation began with 4.20.4"},
		"another distribution": {good, "okd", "4.20.5", "", fault.Conflict, "not of the distribution okd"},
		"another architecture": {program(t, strings.Replace(versionScript, "amd64", "arm64", 1)), "ocp", "4.20.5", "", fault.Conflict, `"arm64"`},
	} {
		i := m.choose(release.Choice{Distribution: test.distribution, Version: test.version, Program: test.path})
		_, err := i.Fetch(t.Context(), test.noted, func(string) {})
		if !fault.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) || fault.HintOf(err) == "" {
			t.Errorf("%s: kind %v, %v", name, fault.KindOf(err), err)
		}
		if _, err := i.FindBootImage(t.Context()); err == nil {
			t.Errorf("%s: it is used all the same", name)
		}
	}
}
