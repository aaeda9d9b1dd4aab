package bundle_test

import (
	"bytes"
	"path"
	"strings"
	"testing"
	"time"

	"exoshift/internal/bundle"
	"exoshift/internal/redact"
	"exoshift/state"
)

func packFolder(t *testing.T) bundle.Bundle {
	t.Helper()
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		state.AnswersFile: "kind: Cluster\n", state.FactsFile: "{}", state.EventsFile: strings.Repeat("{\"v\":1}\n", 2000),
	} {
		if err := folder.Write(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	redactor := redact.New()
	redactor.AddSecret(redact.Password, "correct-horse-battery")
	packed, err := bundle.Pack(folder, bundle.Origin{
		Program: "exoshift 1.2.3 linux/amd64", Packed: time.Unix(1778000000, 0).UTC(), Summary: []byte("# Summary\ncorrect-horse-battery\n"),
	}, redactor)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func TestOpen_HasWhatWasPacked(t *testing.T) {
	opened, err := bundle.Open(bytes.NewReader(packFolder(t).Archive))
	if err != nil || opened.Damage != nil {
		t.Fatal(err, opened.Damage)
	}
	for name, want := range map[string]string{
		state.AnswersFile: "kind: Cluster", state.EventsFile: `{"v":1}`, bundle.SummaryFile: "# Summary",
		"bundle.json": `"program": "exoshift 1.2.3 linux/amd64"`,
	} {
		if !strings.Contains(string(opened.Files[name]), want) {
			t.Errorf("%s: %.80q", name, opened.Files[name])
		}
	}
	if strings.Contains(string(opened.Files[bundle.SummaryFile]), "correct-horse-battery") {
		t.Error("the summary holds a secret")
	}
}

// Wherever an archive is cut, what is before is there and the cut is reported.
func TestOpen_CutArchive(t *testing.T) {
	whole := packFolder(t).Archive
	complete, err := bundle.Open(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	some, part := false, false
	for n := range len(whole) {
		opened, err := bundle.Open(bytes.NewReader(whole[:n]))
		if err == nil && opened.Damage == nil {
			t.Fatalf("cut after %d of %d bytes: no error", n, len(whole))
		}
		some = some || err == nil && len(opened.Files) > 0
		for name, content := range opened.Files {
			cut := len(content) < len(complete.Files[name])
			part = part || cut
			if cut && (path.Ext(name) != ".jsonl" || !bytes.HasSuffix(content, []byte("\n"))) || !bytes.HasPrefix(complete.Files[name], content) {
				t.Fatalf("cut after %d of %d bytes: %s has %d of %d bytes", n, len(whole), name, len(content), len(complete.Files[name]))
			}
		}
	}
	if !some || !part {
		t.Errorf("cut archives have files: %t, records before the cut: %t", some, part)
	}
	if _, err := bundle.Open(strings.NewReader("plain text")); err == nil {
		t.Error("plain text was opened")
	}
}
