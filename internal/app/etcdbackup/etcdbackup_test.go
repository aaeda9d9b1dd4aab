package etcdbackup

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestChoice_Check(t *testing.T) {
	now := time.Date(2026, 5, 5, 10, 0, 0, 0, time.UTC)
	pages := bytes.Repeat([]byte("etcd"), 512)
	sum := sha256.Sum256(pages)
	snapshot := string(pages) + string(sum[:])
	const fresh = "2026-05-05_090000"
	tests := map[string]struct {
		files map[string]string
		want  string // part of the reason; "": the backup is good
	}{
		"whole": {map[string]string{"snapshot_" + fresh + ".db": snapshot, "static_kuberesources_" + fresh + ".tar.gz": "x"}, ""},
		"the newest of several counts": {map[string]string{
			"snapshot_2026-05-01_090000.db": "old", "snapshot_" + fresh + ".db": snapshot, "static_kuberesources_" + fresh + ".tar.gz": "x",
		}, ""},
		"none":           {nil, "it has no file snapshot_*.db"},
		"one half":       {map[string]string{"snapshot_" + fresh + ".db": snapshot}, "its other half is missing: static_kuberesources_" + fresh},
		"empty half":     {map[string]string{"snapshot_" + fresh + ".db": snapshot, "static_kuberesources_" + fresh + ".tar.gz": ""}, "its other half is missing"},
		"too old":        {map[string]string{"snapshot_2026-05-04_090000.db": snapshot, "static_kuberesources_2026-05-04_090000.tar.gz": "x"}, "it is 25h0m0s old"},
		"without a time": {map[string]string{"snapshot_mine.db": snapshot}, "its name has no time"},
		"dirty":          {map[string]string{"snapshot_" + fresh + "__POSSIBLY_DIRTY__.db": snapshot}, "while the control plane changed"},
		"damaged": {map[string]string{"snapshot_" + fresh + ".db": "X" + snapshot[1:], "static_kuberesources_" + fresh + ".tar.gz": "x"},
			"does not match its checksum"},
		"cut": {map[string]string{"snapshot_" + fresh + ".db": snapshot[:600], "static_kuberesources_" + fresh + ".tar.gz": "x"}, "no whole snapshot"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range test.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			reason := Choice{Folder: dir}.Check(now)
			if test.want == "" && reason != "" || !strings.Contains(reason, test.want) {
				t.Errorf("%q, not %q", reason, test.want)
			}
		})
	}
	if reason := (Choice{}).Check(now); !strings.Contains(reason, "exoshift backup create") {
		t.Errorf("without a folder: %q", reason)
	}
	if reason := (Choice{Without: true}).Check(now); reason != "" {
		t.Errorf("nobody wants one: %q", reason)
	}
}
