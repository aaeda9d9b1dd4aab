package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud/mirror"
)

func TestPreflight_ReleaseAndManifests(t *testing.T) {
	for name, c := range map[string]refusal{
		"a manifest that is not YAML": {
			change: manifest("a.yaml", "kind: [\n"), code: exit.Answers, says: []string{"a.yaml:"}, hint: "correct",
		},
		"a manifest that openshift-install has, too": {
			change: manifest("cluster-dns-02-config.yml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\n"), code: exit.Answers,
			says: []string{"cluster-dns-02-config.yml, which openshift-install generates"}, hint: "rename",
		},
		"an install-config that openshift-install refuses": {
			change: func(_ *testing.T, s *run.Run) { s.Secrets.PullSecret = `{"auths":{}}` }, code: exit.Answers,
			says: []string{"failed to create install config", "pullSecret"}, hint: "correct the answers",
		},
		"an openshift-install of another version": {
			change: func(_ *testing.T, s *run.Run) { s.Options.Installer = installerOf(s, "4.19.3") }, code: exit.Checks,
			says: []string{"its version is 4.19.3 instead of 4.20.5"}, hint: "--openshift-install",
		},
		"checksums that someone else signed": {
			change: func(t *testing.T, s *run.Run) { s.Net.ReleaseKey = strangersKey(t) }, code: exit.Answers,
			says: []string{"sha256sum.txt.gpg", "not signed by the release key"}, hint: "do not trust this server",
		},
		"a template of another image": {
			circumstances: circumstances{middleware: unpatchedTemplate}, code: exit.Checks,
			says: []string{"not created from this release's image", `its boot mode is "legacy"`}, hint: "delete template rhcos-",
		},
	} {
		t.Run(name, c.isRefused)
	}
}

func manifest(name, content string) func(*testing.T, *run.Run) {
	return func(t *testing.T, s *run.Run) {
		t.Helper()
		s.Spec.OpenShift.ManifestsDir = t.TempDir()
		if err := os.WriteFile(filepath.Join(s.Spec.OpenShift.ManifestsDir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// installerOf writes an openshift-install that reports a version.
func installerOf(s *run.Run, version string) string {
	path := s.Folder.Path("given-openshift-install")
	script := "#!/bin/sh\nexec env " + raceExit + " '" + os.Args[0] + "' " + environment.InstallerVerb + " --release " + version + ` "$@"` + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		return err.Error() // not a program, which fails the test
	}
	return path
}

func strangersKey(t *testing.T) []byte {
	t.Helper()
	key, err := mirror.NewKey(time.Now(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return key.ExportPublic()
}

// unpatchedTemplate adds a foreign template with the name of ours.
func unpatchedTemplate(next http.Handler) http.Handler {
	return privateTemplates(next, map[string]any{
		"id": "6f1fd4f4-0000-4000-8000-000000000001", "name": "rhcos-9.6.20251212-1", "size": 16 << 30, "visibility": "private", "boot-mode": "legacy",
	})
}

func privateTemplates(next http.Handler, templates ...map[string]any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/template" || r.URL.Query().Get("visibility") != "private" {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"templates": templates})
	})
}
