package state_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

func TestJournal_RoundTrip(t *testing.T) {
	folder := newFolder(t)
	if entries, err := folder.ListEntries(); err != nil || len(entries) > 0 {
		t.Fatalf("no journal holds %v: %v", entries, err)
	}
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	journal := openJournal(t, folder, now)
	err := errors.Join(
		journal.RecordIntent("instance", "master-0"),
		journal.RecordResult("instance", "master-0", "id-0", state.Created),
		journal.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	tear(t, folder.Path(state.JournalFile))
	journal = openJournal(t, folder, now)
	if err := errors.Join(journal.RecordIntent("bucket", "blue"), journal.Close()); err != nil {
		t.Fatal(err)
	}
	tear(t, folder.Path(state.JournalFile))

	entries, err := folder.ListEntries()
	want := []state.Entry{
		{Time: now, Kind: "instance", Name: "master-0"},
		{Time: now, Kind: "instance", Name: "master-0", ID: "id-0", Action: state.Created},
		{Time: now, Kind: "bucket", Name: "blue"},
	}
	if diff := cmp.Diff(want, entries); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestJournal_UnreadableIsError(t *testing.T) {
	folder := newFolder(t)
	if err := os.Mkdir(folder.Path(state.JournalFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.ListEntries(); err == nil {
		t.Error("a folder was read as a journal")
	}
}

func openJournal(t *testing.T, folder state.Folder, now time.Time) *state.Journal {
	t.Helper()
	journal, err := folder.OpenJournal(func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	return journal
}
