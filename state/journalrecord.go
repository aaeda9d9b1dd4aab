package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// Kinds of damage to a line of records.
const (
	LineCut      = "cut"      // it is not terminated
	LineChanged  = "changed"  // it does not match its checksum
	LineMissing  = "missing"  // one or more are missing before it
	LineRepeated = "repeated" // there is another one with its number
)

// LineDamage is the damage of a line.
type LineDamage struct {
	Line int    // counts from 1
	What string // LineCut, ...
}

// String returns the damage and its meaning in one sentence.
func (d LineDamage) String() string {
	switch d.What {
	case LineCut:
		return fmt.Sprintf("line %d is cut: a run was killed, or the disk was full, while it was written; it is left out", d.Line)
	case LineMissing:
		return fmt.Sprintf("lines are missing before line %d: somebody deleted them, or the disk lost them", d.Line)
	case LineRepeated:
		return fmt.Sprintf("line %d has the number of an earlier one: two runs wrote at the same time, or a line was copied", d.Line)
	}
	return fmt.Sprintf("line %d is not as it was written: the disk is damaged, or somebody edited it; it is left out", d.Line)
}

// JournalRecord is the content of the journal.
type JournalRecord struct {
	Entries []Entry // those of whole lines, the oldest first
	Damage  []LineDamage
	Earlier int // lines that an earlier version wrote, without a checksum
	last    int // number of the last line
}

// Open returns the intents that have no result, in their order: their calls may or may not have happened.
func (r JournalRecord) Open() []Entry {
	var open []Entry
	results := map[entryKey]int{}
	for n, e := range r.Entries {
		if e.Action != "" {
			results[entryKey{e.Kind, e.Name}] = n + 1
		}
	}
	seen := map[entryKey]bool{}
	for n, e := range r.Entries {
		key := entryKey{e.Kind, e.Name}
		if e.Action == "" && n >= results[key] && !seen[key] {
			open, seen[key] = append(open, e), true
		}
	}
	return open
}

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

func parseEntry(line []byte) (entry numbered, wrong string) {
	if !bytes.HasSuffix(line, []byte("}")) {
		return entry, LineCut
	}
	if _, err := verifyChecksum(line); err != nil {
		return entry, LineChanged
	}
	if err := json.Unmarshal(line, &entry); err != nil || entry.Kind == "" {
		return entry, LineChanged
	}
	return entry, ""
}

// RewriteJournal replaces the journal by its whole lines, renumbered, and keeps the damaged file under the name that is
// returned.
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
