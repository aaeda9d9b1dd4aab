package request

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/app/exit"
)

const (
	oneHostKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINbmB5+y2VJ1FZqYhxMoq3+3cEo6uty+QEjxmzfpgV2V"
	otherHostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKpMpSEws+01sdyRHhWJvZjZczk/4beFHZsFOSkRuIFh"
)

func TestReadHostKeys_FirstOfHost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known_hosts")
	content := "# a mirror\n\ngit.example.net,mirror " + oneHostKey + " comment\nnonsense\ngit.example.net " + otherHostKey +
		"\n@revoked old.example.net " + otherHostKey + "\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadHostKeys(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"git.example.net": oneHostKey, "mirror": oneHostKey}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if written := string(FormatKnownHosts(got)); written != "git.example.net "+oneHostKey+"\nmirror "+oneHostKey+"\n" {
		t.Errorf("written as %s", written)
	}
}

func TestReadHostKeys_RefusesEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(path, []byte("# nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, path + ".missing"} {
		if _, err := ReadHostKeys(file); exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "--host-keys") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
