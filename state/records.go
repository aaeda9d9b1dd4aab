package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// SumsFile lists the copies of given answers with their SHA-256, as sha256sum -c reads it.
const SumsFile = "answers.sha256"

// KeepAnswers keeps a numbered copy of answers under the next free name (answers-1.yaml, ...), unless they equal the last copy.
func (f Folder) KeepAnswers(given []byte) error {
	sums, err := f.Read(SumsFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep the answers: %w", err)
	}
	sum := sha256.Sum256(given)
	hash := hex.EncodeToString(sum[:])
	lines := strings.Fields(string(sums)) // <hash> <name> <hash> <name> ...
	if last := len(lines) - 2; last >= 0 && lines[last] == hash {
		return nil
	}
	name, err := findFreeCopy(f)
	if err != nil {
		return fmt.Errorf("keep the answers: %w", err)
	}
	if err := f.Write(name, given); err != nil {
		return err
	}
	return f.Write(SumsFile, append(bytes.TrimSpace(sums), []byte(newLine(sums)+hash+"  "+name+"\n")...))
}

func newLine(before []byte) string {
	if len(bytes.TrimSpace(before)) == 0 {
		return ""
	}
	return "\n"
}

// A copy that a killed process left without its line in SumsFile is not overwritten.
func findFreeCopy(f Folder) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("answers-%d.yaml", n)
		if _, err := os.Lstat(f.Path(name)); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
}

// HasChanges reports whether a run may have changed cloud objects: the journal has an intent.
func (f Folder) HasChanges() (bool, error) {
	entries, err := f.ListEntries()
	return len(entries) > 0, err
}

// GatheredDir is the folder for support data, which is gathered after failures, each time into a folder named by the
// time.
const GatheredDir = "gathered"

// In UTC, so that names sort by time.
const gatheredName = "20060102T150405Z"

const keptGatherings = 5

// FormatGatherDir returns the folder for the data of a moment.
func FormatGatherDir(moment time.Time) string {
	return filepath.Join(GatheredDir, moment.UTC().Format(gatheredName))
}

// ListGathered returns the folders with gathered data, the newest first.
func (f Folder) ListGathered() ([]string, error) {
	entries, err := os.ReadDir(f.Path(GatheredDir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list what was gathered: %w", err)
	}
	var found []string
	for _, entry := range slices.Backward(entries) {
		if _, err := time.Parse(gatheredName, entry.Name()); err == nil && entry.IsDir() {
			found = append(found, filepath.Join(GatheredDir, entry.Name()))
		}
	}
	return found, nil
}

// PruneGathered deletes gathered data except for the newest five folders.
func (f Folder) PruneGathered() error {
	found, err := f.ListGathered()
	if err != nil {
		return err
	}
	for _, dir := range found[min(len(found), keptGatherings):] {
		if err := os.RemoveAll(f.Path(dir)); err != nil {
			return fmt.Errorf("delete what was gathered long ago: %w", err)
		}
	}
	return nil
}

// OpenJournal opens the folder's journal and reads which intents have no result.
func (f Folder) OpenJournal(now func() time.Time) (*Journal, error) {
	record, err := f.ReadJournal()
	if err != nil {
		return nil, err
	}
	file, err := f.Append(JournalFile)
	if err != nil {
		return nil, err
	}
	open := map[entryKey]bool{}
	for _, e := range record.Open() {
		open[entryKey{e.Kind, e.Name}] = true
	}
	journal := &Journal{file: file, now: now, open: open, seq: record.last}
	if f.syncer != nil {
		journal.file = syncedFile{file, f.syncer}
	}
	return journal, nil
}

// syncedFile is a file of a folder whose state is kept elsewhere.
type syncedFile struct {
	*os.File
	syncer Syncer
}

func (f syncedFile) Sync() error { return errors.Join(f.File.Sync(), f.syncer.Sync()) }

// ListEntries returns the entries of all runs, the oldest first; a missing journal is no error. Damaged lines are left
// out: their intents are looked up in the cloud.
func (f Folder) ListEntries() ([]Entry, error) {
	record, err := f.ReadJournal()
	return record.Entries, err
}

// ReadJournal reads the journal and its damage; a missing journal is no error.
func (f Folder) ReadJournal() (JournalRecord, error) {
	content, err := f.Read(JournalFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return JournalRecord{}, fmt.Errorf("read the journal: %w", err)
	}
	var record JournalRecord
	line, unread := 0, 0
	for text := range bytes.Lines(content) {
		line++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		entry, what := parseEntry(text)
		switch {
		case what != "":
			unread++
			record.Damage = append(record.Damage, LineDamage{line, what})
			continue
		case entry.Seq == 0:
			record.Earlier++
		case entry.Seq <= record.last:
			record.Damage = append(record.Damage, LineDamage{line, LineRepeated})
		case entry.Seq > record.last+1+unread:
			record.Damage = append(record.Damage, LineDamage{line, LineMissing})
		}
		if entry.Seq > 0 {
			record.last, unread = max(record.last, entry.Seq), 0
		}
		record.Entries = append(record.Entries, entry.Entry)
	}
	return record, nil
}

// RewriteJournal replaces the journal by its whole lines, renumbered, and keeps the damaged file under the name that is returned.
func (f Folder) RewriteJournal(record JournalRecord, suffix string) (kept string, err error) {
	content, err := f.Read(JournalFile)
	if err != nil {
		return "", fmt.Errorf("rewrite the journal: %w", err)
	}
	kept = JournalFile + suffix
	if err := f.Write(kept, content); err != nil {
		return "", err
	}
	var lines []byte
	for n, e := range record.Entries {
		line, err := encodeEntry(e, n+1)
		if err != nil {
			return "", fmt.Errorf("rewrite the journal: %w", err)
		}
		lines = append(append(lines, line...), '\n')
	}
	return kept, f.Write(JournalFile, lines)
}
