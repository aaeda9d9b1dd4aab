package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/request"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

// After an installation, its secrets are written into every packed file, in several encodings. None of them is in the bundle,
// and its events can still be replayed. The bootstrap's keys, which are removed at its end, are restored: the folder of a
// resumed run has them.
func TestBundle_HasNoSecrets(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		interruptedAt(t, s, ended("temporary-api"))
		leaving := map[string]string{}
		for _, name := range []string{"bootstrap.ign", ".openshift_install_state.json", state.IdentityFile} {
			leaving[state.InstallDir+"/"+name] = content(t, s.Folder, state.InstallDir+"/"+name)
		}
		leaving[state.FormatUserDataFile("bootstrap")] = content(t, s.Folder, state.FormatUserDataFile("bootstrap"))
		if out, err := finish(t, s); err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		for name, text := range leaving {
			if err := s.Folder.Write(name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		canaries := canariesIn(t, s)
		t.Logf("%d secrets", len(canaries))
		plant(t, s.Folder, canaries)
		path := filepath.Join(t.TempDir(), "x.tar.gz")
		if err := pack(cli.NewOptions(request.Request{Dir: s.Folder.Path()}, cli.OutputPlain), path, cli.Streams{Out: io.Discard}); err != nil {
			t.Fatal(err)
		}
		files := archived(t, path)
		for name, content := range files {
			for _, canary := range canaries {
				for _, text := range disguised(canary) {
					if strings.Contains(content, text) {
						t.Errorf("%s holds %s", name, text)
					}
				}
			}
		}
		tellable(t, files["events.jsonl"])
	})
}

// canariesIn collects the secrets of a folder independently of the bundle's code.
func canariesIn(t *testing.T, s run.Run) []string {
	t.Helper()
	var everything bytes.Buffer
	err := filepath.WalkDir(s.Folder.Path(), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "/bin/") {
			return err
		}
		content, err := os.ReadFile(path)
		everything.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text := everything.String()
	for range 3 { // nested encodings
		var deeper strings.Builder
		for _, digits := range regexp.MustCompile(`[A-Za-z0-9+/]{40,}={0,2}`).FindAllString(text, -1) {
			if inner, err := base64.StdEncoding.DecodeString(digits); err == nil {
				deeper.Write(inner)
				deeper.WriteString("\n")
			}
		}
		everything.WriteString(deeper.String())
		text = deeper.String()
	}
	found := map[string]bool{s.Secrets.APIKey: true, s.Secrets.APISecret: true}
	text = strings.ReplaceAll(everything.String(), `\n`, "\n")
	for _, key := range regexp.MustCompile(`BEGIN [A-Z ]*PRIVATE KEY-----\n([^-]+)-----END`).FindAllStringSubmatch(text, -1) {
		found[strings.TrimSpace(strings.Split(key[1], "\n")[0])] = true
	}
	for _, expression := range []string{`"secret":"([^"]+)"`, `X-Amz-Signature=([0-9a-f]+)`, `"auth\\*":\s*\\*"([^"\\]+)`} {
		for _, match := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
			found[match[1]] = true
		}
	}
	password, err := s.Folder.Read(state.InstallDir + "/auth/kubeadmin-password")
	if err != nil {
		t.Fatal(err)
	}
	found[strings.TrimSpace(string(password))] = true
	var canaries []string
	for canary := range found {
		canaries = append(canaries, canary)
	}
	if len(canaries) < 10 {
		t.Fatalf("only %d secrets were found: %q", len(canaries), canaries)
	}
	return canaries
}

func disguised(secret string) []string {
	quoted, _ := json.Marshal(secret) // never fails
	return []string{
		secret, strings.Trim(string(quoted), `"`), base64.RawStdEncoding.EncodeToString([]byte(secret)),
		base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
}

func plant(t *testing.T, folder state.Folder, canaries []string) {
	t.Helper()
	var lines bytes.Buffer
	for _, canary := range canaries {
		for _, text := range disguised(canary) {
			line, _ := json.Marshal(provisioner.Event{V: 1, Seq: 1, Type: provisioner.TypeJournal, Text: "said " + text}) // never fails
			lines.Write(append(line, '\n'))
		}
	}
	for _, name := range []string{state.EventsFile, state.JournalFile, state.LogFile, "gathered/20260504T145931Z/cluster/nodes.jsonl"} {
		before, err := folder.Read(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if err := folder.Write(name, append(before, lines.Bytes()...)); err != nil {
			t.Fatal(err)
		}
	}
}

func archived(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for reader := tar.NewReader(plain); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(header.Name, "exoshift-bundle/")] = string(content)
	}
}

// tellable requires that every line is an event, and that the dashboard can be built from them.
func tellable(t *testing.T, lines string) {
	t.Helper()
	board := provisioner.NewBoard(nil)
	for _, e := range eventsOf(t, lines) {
		board.Fold(e)
	}
	if len(board.Nodes) < 13 || len(board.EtcdTrail) < 5 || len(board.Steps) < 20 || board.Nodes[0].Role == "" {
		t.Errorf("the board lacks something: %d nodes, etcd %v, %d steps", len(board.Nodes), board.EtcdTrail, len(board.Steps))
	}
}
