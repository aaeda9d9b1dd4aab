package state_test

import (
	"os"
	"testing"
	"time"
	"unicode/utf8"

	"exoshift/state"
)

func FuzzJournalEntries(f *testing.F) {
	for _, seed := range []string{
		"", "{}\n", `{"time":"2026-05-04T14:02:00Z","kind":"instance","name":"master-0"}` + "\n",
		`{"kind":"instance","name":"master-0","action":"created","id":"b1"}` + "\n" + `{"kind":"inst`, "\x00\xff\n[]\nnull\n\"a\"\n",
	} {
		f.Add([]byte(seed), "instance", "worker-0")
	}
	f.Fuzz(func(t *testing.T, before []byte, kind, name string) {
		folder, err := state.Create(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(folder.Path(state.JournalFile), before, 0o600); err != nil {
			t.Fatal(err)
		}
		entries, err := folder.ListEntries()
		if err != nil || kind == "" || !utf8.ValidString(kind) || !utf8.ValidString(name) { // every resource has a kind
			return
		}
		journal, err := folder.OpenJournal(time.Now)
		if err != nil {
			return
		}
		defer func() { _ = journal.Close() }()
		if err := journal.RecordIntent(kind, name); err != nil {
			t.Fatal(err)
		}
		after, err := folder.ListEntries()
		if err != nil || len(after) < len(entries)+1 {
			t.Fatalf("%d entries, after one more %d, %v", len(entries), len(after), err)
		}
		if last := after[len(after)-1]; last.Kind != kind || last.Name != name || !journal.Open(kind, name) {
			t.Fatalf("%q of %q was noted as %q of %q", name, kind, last.Name, last.Kind)
		}
	})
}
