package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"al.essio.dev/pkg/shellescape"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

func handedOverWithoutASecret(t *testing.T, s run.Run, _ *simcloud.Zone) {
	var out bytes.Buffer
	if err := s.Install(t.Context(), cli.Display{Output: cli.OutputPlain, Std: cli.Streams{Out: &out, Err: os.Stderr}}); err != nil {
		t.Fatal(err, lastLines(out.String()))
	}
	report, err := s.Folder.Read(state.HandoverFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# The rehearsal of cluster c-demo-1 succeeded", "`13: 3 master", "## Cost", "- operators: `"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
	if want := "exoshift install --answers " + shellescape.Quote(s.Folder.Path(state.AnswersFile)); !strings.Contains(out.String(), want) {
		t.Errorf("no %q at the end of\n%s", want, lastLines(out.String()))
	}
	for name, secret := range folderSecrets(t, s) {
		if bytes.Contains(report, []byte(secret)) || strings.Contains(out.String(), secret) {
			t.Errorf("%s is told", name)
		}
	}
}

// folderSecrets returns the secrets of the answers and of the folder.
func folderSecrets(t *testing.T, s run.Run) map[string]string {
	t.Helper()
	password, err := s.ReadInstallFile("auth/kubeadmin-password")
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{"API secret": s.Secrets.APISecret, "pull secret": s.Secrets.PullSecret, "password": strings.TrimSpace(string(password))}
	files, err := filepath.Glob(s.Folder.Path("api-keys", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("the folder holds no API keys", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file) //nolint:gosec // a file of the test's own folder
		if err != nil {
			t.Fatal(err)
		}
		var key struct{ Secret string }
		if err := json.Unmarshal(content, &key); err != nil {
			t.Fatal(err)
		}
		secrets[file] = key.Secret
	}
	return secrets
}
