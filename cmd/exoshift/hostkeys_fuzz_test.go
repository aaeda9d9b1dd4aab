package main

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/app/exit"
)

// FuzzReadHostKeys: parsing, formatting and parsing again has the same result.
func FuzzReadHostKeys(f *testing.F) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKpMpSEws+01sdyRHhWJvZjZczk/4beFHZsFOSkRuIFh"
	for _, seed := range []string{
		"git.example.net " + key + " me\n", "a,,#b,@c,!d,*.e,[f]:22 " + key, "|1|YQ==|YQ== " + key, "@revoked a " + key, "@cert-authority *.a " + key,
		"# a\n\n", "a ssh-rsa AAAA", "\xff", "a\u00a0b " + key, key,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "known_hosts")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		keys, err := readHostKeys(path)
		if (err == nil) != (len(keys) > 0) || err != nil && exit.Code(err) != exit.Usage {
			t.Fatalf("%d keys, %v", len(keys), err)
		}
		if err != nil {
			return
		}
		for host, line := range keys {
			if _, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(line)); err != nil || len(rest) > 0 {
				t.Fatalf("%q is the key of %q: %v", line, host, err)
			}
		}
		if err := os.WriteFile(path, formatKnownHosts(keys), 0o600); err != nil {
			t.Fatal(err)
		}
		if again, err := readHostKeys(path); err != nil || !maps.Equal(again, keys) {
			t.Fatalf("%q is read as %q, %v", formatKnownHosts(keys), again, err)
		}
	})
}

func FuzzRecordings(f *testing.F) {
	for _, seed := range []string{
		`{"v":1,"seq":1,"time":"2026-05-04T14:02:00Z","type":"run","state":"started"}` + "\n" + `{"v":1,"seq":2,"time":"2026-05-04T14:01:00Z","type":"step","step":"a","state":"started","text":"A"}`,
		`{"v":1,"seq":3,"type":"node","name":"master-0","role":7}` + "\n" + `{"v":1,"seq":2,"type":"run","state":"finished"}` + "\n{\"v\"", "", "[]\nnull\n1\n", "\xff\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "events.jsonl")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		runs, err := readRecordings(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range runs {
			if len(run) == 0 {
				t.Fatal("a run without an event")
			}
			for i, e := range run[1:] {
				if e.Time.Before(run[i].Time) {
					t.Fatalf("event %d is at %s, and the one before it at %s", i+1, e.Time, run[i].Time)
				}
			}
			known := map[string]bool{}
			for _, step := range run.buildPlan(runs) {
				if known[step.ID] || step.Title == "" && step.ID != "" {
					t.Fatalf("step %q twice, or without a title", step.ID)
				}
				known[step.ID] = true
			}
		}
	})
}
