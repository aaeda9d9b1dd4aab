package state_test

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRestoreModes_PrivateAndExecutable(t *testing.T) {
	folder := newFolder(t)
	err := errors.Join(
		folder.Write("answers.yaml", nil), folder.Write("bin/program", nil), folder.Write("closed/file", nil), folder.Write("right", nil),
		os.Symlink("/etc/hostname", folder.Path("link")),
	)
	for name, mode := range map[string]fs.FileMode{"answers.yaml": 0o644, "bin/program": 0o755, "closed/file": 0o400, "closed": 0o500, "bin": 0o755} {
		err = errors.Join(err, os.Chmod(folder.Path(name), mode))
	}
	if err != nil {
		t.Fatal(err)
	}
	restored, err := folder.RestoreModes()
	var names []string
	for _, file := range restored {
		names = append(names, file.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"answers.yaml", "bin", "bin/program", "closed", "closed/file"}, names); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for name, want := range map[string]fs.FileMode{"answers.yaml": 0o600, "bin/program": 0o700, "closed/file": 0o600, "closed": 0o700, "right": 0o600} {
		if info, err := os.Stat(folder.Path(name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if found, err := folder.CheckModes(); err != nil || len(found) > 0 {
		t.Errorf("still open: %v, %v", found, err)
	}
}

func TestRemoveKeys_KeepsRecords(t *testing.T) {
	folder := newFolder(t)
	records := []string{"answers.yaml", "events.jsonl", "facts.json", "journal.jsonl", "openshift.md"}
	keys := []string{
		".openshift-17.unfinished/bootstrap.ign", "api-keys/a.json", "openshift-20260101T000000Z/auth/kubeconfig", "openshift/auth/kubeconfig",
		"secrets/exoscale.apiKey", "ssh-key.pem", "steward.age", "steward.age.trial", "user-data/bootstrap",
	}
	for _, name := range slices.Concat(records, keys) {
		if err := folder.Write(name, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := folder.ListKeys(); err != nil || len(found) != len(keys) {
		t.Errorf("keys: %v, %v", found, err)
	}
	if err := folder.RemoveKeys(); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(folder.Path())
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if diff := cmp.Diff(records, left); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
