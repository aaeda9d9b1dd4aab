package state_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

func newFolder(t *testing.T) state.Folder {
	t.Helper()
	folder, err := state.Create(filepath.Join(t.TempDir(), "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestFolder_FilesArePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster")
	if err := os.Mkdir(path, 0o777); err != nil { //nolint:gosec // the point of the test
		t.Fatal(err)
	}
	folder, err := state.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(folder.Write("answers.yaml", []byte("x")), folder.SaveUserData("master-0", []byte("{}")), folder.SaveFacts(state.Facts{})); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFacts_RoundTrip(t *testing.T) {
	folder := newFolder(t)
	if facts, err := folder.LoadFacts(); err != nil || facts.ClusterID != "" {
		t.Fatalf("a new folder knows %v, %v", facts, err)
	}
	want := state.Facts{Schema: 1, ClusterID: "c-1", RootCAHash: "ab", BootstrapRemoved: time.Unix(1e9, 0).UTC()}
	if err := folder.SaveFacts(want); err != nil {
		t.Fatal(err)
	}
	got, err := folder.LoadFacts()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestFacts_RefuseOtherSchema(t *testing.T) {
	folder := newFolder(t)
	if err := folder.Write(state.FactsFile, []byte(`{"schema": 99}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.LoadFacts(); err == nil || !strings.Contains(err.Error(), "99") {
		t.Errorf("read as %v", err)
	}
}

func TestFolder_LockNamesHolder(t *testing.T) {
	folder := newFolder(t)
	unlock, err := folder.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = folder.Lock(t.Context())
	var held *state.LockedError
	if !errors.As(err, &held) || held.Holder.PID != os.Getpid() || held.Holder.Heartbeat.IsZero() {
		t.Fatalf("the second lock ended with %v", err)
	}
	if !folder.IsLocked() {
		t.Error("a held folder is not busy")
	}
	unlock()
	if folder.IsLocked() {
		t.Error("a released folder is busy")
	}
	unlock, err = folder.Lock(t.Context())
	if err != nil {
		t.Fatalf("a released folder is held: %v", err)
	}
	unlock()
}

func TestJournal_ListsPendingIntents(t *testing.T) {
	folder := newFolder(t)
	journal, err := folder.OpenJournal(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		journal.RecordIntent("instance", "master-0"),
		journal.RecordResult("instance", "master-0", "id-0", state.Created),
		journal.RecordIntent("instance", "master-1"),
		journal.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	tear(t, folder.Path(state.JournalFile))
	journal, err = folder.OpenJournal(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if journal.Open("instance", "master-0") || !journal.Open("instance", "master-1") || journal.Open("instance", "master-2") {
		t.Error("the open intents are not those without a result")
	}
	// The line after a partial one is intact.
	if err := errors.Join(journal.RecordResult("instance", "master-1", "id-1", state.Adopted), journal.Close()); err != nil {
		t.Fatal(err)
	}
	if journal, err = folder.OpenJournal(time.Now); err != nil || journal.Open("instance", "master-1") {
		t.Errorf("the result after the torn line was lost: %v", err)
	}
	_ = journal.Close()
}

// tear writes a partial line, as a process does that is killed while it writes.
func tear(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"kind":"insta`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpen_RefusesEmptyFolder(t *testing.T) {
	if _, err := state.Open(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened with %v", err)
	}
}

func TestDefaultPath_FollowsXDG(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/somewhere")
	if path, err := state.DefaultPath("c-1"); err != nil || path != "/somewhere/exoshift/c-1" {
		t.Error(path, err)
	}
}

func TestLock_HolderIsUnknown(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := folder.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := errors.Join(folder.Remove("lock.json"), folder.Remove("lock")); err != nil {
		t.Fatal(err)
	}
	var held *state.LockedError
	if _, err := folder.Lock(t.Context()); !errors.As(err, &held) || !strings.Contains(err.Error(), "in use by another process, and lock.json") {
		t.Errorf("%v", err)
	}
}
