package bundle_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"exoshift/internal/bundle"
	"exoshift/state"
)

// Whoever opens an archive finds the records as sound as they were, although values in them were replaced.
func TestOpen_RecordsAsSoundAsInTheFolder(t *testing.T) {
	folder := folderWith(t, nil)
	if err := folder.SaveFacts(state.Facts{ClusterID: "c-demo-1", Zone: "ch-gva-2"}); err != nil {
		t.Fatal(err)
	}
	journal, err := folder.OpenJournal(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"c-demo-1_worker", "c-demo-1_damaged", "c-demo-1_infra"} {
		if err := journal.RecordIntent(state.KindInstance, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := folder.Read(state.JournalFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Write(state.JournalFile, bytes.Replace(content, []byte("c-demo-1_damaged"), []byte("c-demo-1_altered"), 1)); err != nil {
		t.Fatal(err)
	}
	opened, err := bundle.Open(bytes.NewReader(pack(t, folder).Archive))
	if err != nil {
		t.Fatal(err)
	}
	other, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{state.FactsFile, state.JournalFile} {
		if bytes.Contains(opened.Files[name], []byte("c-demo-1")) {
			t.Fatalf("nothing was replaced in %s", name)
		}
		if err := other.Write(name, opened.Files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if facts, err := other.LoadFacts(); err != nil || facts.Zone != "ch-gva-2" {
		t.Errorf("facts %+v, %v", facts, err)
	}
	record, err := other.ReadJournal()
	if err != nil || len(record.Entries) != 2 || !slices.Contains(record.Damage, state.LineDamage{Line: 2, What: state.LineChanged}) {
		t.Errorf("%d entries, damage %v, %v", len(record.Entries), record.Damage, err)
	}
}
