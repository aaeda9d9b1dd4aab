package state_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

// sixLines is a folder whose journal has three objects, each with an intent and a result.
func sixLines(t *testing.T) (state.Folder, [][]byte) {
	t.Helper()
	folder := newFolder(t)
	journal := openJournal(t, folder, time.Unix(1e9, 0).UTC())
	for _, name := range []string{"a", "b", "c"} {
		if err := journal.RecordIntent("instance", name); err != nil {
			t.Fatal(err)
		}
		if err := journal.RecordResult("instance", name, "id-"+name, state.Created); err != nil {
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
	return folder, slices.Collect(bytes.Lines(content))
}

func TestReadJournal_LocatesDamage(t *testing.T) {
	for name, c := range map[string]struct {
		damage  func(lines [][]byte) [][]byte
		want    []state.LineDamage
		entries int
	}{
		"nothing":          {func(l [][]byte) [][]byte { return l }, nil, 6},
		"a digit of an ID": {func(l [][]byte) [][]byte { l[1] = bytes.Replace(l[1], []byte("id-a"), []byte("id-x"), 1); return l }, []state.LineDamage{{2, state.LineChanged}}, 5},
		"a checksum": {func(l [][]byte) [][]byte {
			l[1] = bytes.Replace(l[1], []byte(`"sum":"`), []byte(`"sum":"0`), 1)
			return l
		}, []state.LineDamage{{2, state.LineChanged}}, 5},
		"binary":            {func(l [][]byte) [][]byte { l[2] = append(bytes.Repeat([]byte{0}, 1<<17), "}\n"...); return l }, []state.LineDamage{{3, state.LineChanged}}, 5},
		"half a line":       {func(l [][]byte) [][]byte { l[5] = l[5][:20]; return l }, []state.LineDamage{{6, state.LineCut}}, 5},
		"a line is gone":    {func(l [][]byte) [][]byte { return slices.Delete(l, 2, 3) }, []state.LineDamage{{3, state.LineMissing}}, 5},
		"the first is gone": {func(l [][]byte) [][]byte { return l[1:] }, []state.LineDamage{{1, state.LineMissing}}, 5},
		"a line twice":      {func(l [][]byte) [][]byte { return slices.Insert(l, 2, l[1]) }, []state.LineDamage{{3, state.LineRepeated}}, 7},
	} {
		t.Run(name, func(t *testing.T) {
			folder, lines := sixLines(t)
			if err := folder.Write(state.JournalFile, bytes.Join(c.damage(lines), nil)); err != nil {
				t.Fatal(err)
			}
			record, err := folder.ReadJournal()
			if diff := cmp.Diff(c.want, record.Damage); err != nil || diff != "" || len(record.Entries) != c.entries {
				t.Errorf("%d entries, %v\n%s", len(record.Entries), err, diff)
			}
		})
	}
}

func TestReadJournal_EarlierVersion(t *testing.T) {
	folder := newFolder(t)
	old := `{"time":"2026-01-01T00:00:00Z","kind":"instance","name":"a"}` + "\n" + `{"time":"2026-01-01T00:00:00Z","kind":"instance","name":"a","action":"created","id":"1"}` + "\n"
	if err := folder.Write(state.JournalFile, []byte(old)); err != nil {
		t.Fatal(err)
	}
	journal := openJournal(t, folder, time.Unix(1e9, 0))
	if err := journal.RecordIntent("instance", "b"); err != nil {
		t.Fatal(err)
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	record, err := folder.ReadJournal()
	if err != nil || len(record.Damage) > 0 || record.Earlier != 2 || len(record.Entries) != 3 || len(record.Open()) != 1 {
		t.Errorf("%+v: %v", record, err)
	}
}

func TestRewriteJournal_KeepsDamagedFile(t *testing.T) {
	folder, lines := sixLines(t)
	lines[1] = bytes.Replace(lines[1], []byte("id-a"), []byte("id-x"), 1)
	damaged := bytes.Join(lines, nil)
	if err := folder.Write(state.JournalFile, damaged); err != nil {
		t.Fatal(err)
	}
	record, err := folder.ReadJournal()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := folder.RewriteJournal(record, ".old")
	if err != nil {
		t.Fatal(err)
	}
	before, err := folder.Read(kept)
	if err != nil || !bytes.Equal(before, damaged) {
		t.Errorf("the damaged file was not kept: %v", err)
	}
	after, err := folder.ReadJournal()
	if diff := cmp.Diff(record.Entries, after.Entries); err != nil || diff != "" || len(after.Damage) > 0 {
		t.Errorf("%v %v\n%s", after.Damage, err, diff)
	}
}

func TestFacts_DamageHint(t *testing.T) {
	for name, damage := range map[string]func(string) string{
		"a digit":     func(text string) string { return strings.Replace(text, "192.0.2.1", "192.0.2.7", 1) },
		"half of it":  func(text string) string { return text[:len(text)/2] },
		"its own sum": func(text string) string { return strings.Replace(text, `"sum": "`, `"sum": "x`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			folder := newFolder(t)
			if err := folder.SaveFacts(state.Facts{ClusterID: "c-1", APIAddress: "192.0.2.1"}); err != nil {
				t.Fatal(err)
			}
			content, err := folder.Read(state.FactsFile)
			if err != nil {
				t.Fatal(err)
			}
			if err := folder.Write(state.FactsFile, []byte(damage(string(content)))); err != nil {
				t.Fatal(err)
			}
			if _, err := folder.LoadFacts(); err == nil || !strings.Contains(err.Error(), "exoshift verify --dir "+folder.Path()) {
				t.Errorf("damaged facts: %v", err)
			}
		})
	}
	folder := newFolder(t)
	if err := folder.Write(state.FactsFile, []byte(`{"schema": 1, "clusterId": "c-1"}`)); err != nil {
		t.Fatal(err)
	}
	if facts, err := folder.LoadFacts(); err != nil || facts.ClusterID != "c-1" {
		t.Errorf("facts of an earlier version: %+v, %v", facts, err)
	}
}

func TestLock_HoldsWithoutItsFile(t *testing.T) {
	folder := newFolder(t)
	unlock, err := folder.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lock", "lock.json"} {
		if err := os.Remove(folder.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if second, err := folder.Lock(t.Context()); err == nil {
		second()
		t.Error("the lock's file is gone, and a second run has the folder")
	}
	if !folder.IsLocked() {
		t.Error("the lock's file is gone, and the folder seems free")
	}
	unlock()
	if unlock, err = folder.Lock(t.Context()); err != nil {
		t.Fatalf("after the first run: %v", err)
	}
	unlock()
}
