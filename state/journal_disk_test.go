package state

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

type crowded struct {
	*os.File
	room int
}

func (c *crowded) Write(content []byte) (int, error) {
	if c.room >= len(content) {
		return c.File.Write(content)
	}
	n, _ := c.File.Write(content[:c.room])
	return n, syscall.ENOSPC
}

func TestJournal_FullDiskKeepsOtherLines(t *testing.T) {
	folder, err := Create(filepath.Join(t.TempDir(), "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	journal, err := folder.OpenJournal(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = journal.Close() })
	file, _ := journal.file.(*os.File)
	disk := &crowded{File: file, room: 20}
	journal.file = disk
	if err := journal.RecordIntent("instance", "master-0"); err == nil || journal.Open("instance", "master-0") {
		t.Fatalf("an intent that is not on the disk counts: %v", err)
	}
	disk.room = 1 << 20
	if err := journal.RecordIntent("instance", "master-1"); err != nil {
		t.Fatal(err)
	}
	entries, err := folder.ListEntries()
	if err != nil || len(entries) != 1 || entries[0].Name != "master-1" {
		t.Errorf("%+v: %v", entries, err)
	}
}
