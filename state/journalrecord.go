package state

import (
	"bytes"
	"encoding/json"
	"fmt"
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
		return fmt.Sprintf("line %d is truncated: a run was killed, or the disk was full; the line is ignored", d.Line)
	case LineMissing:
		return fmt.Sprintf("lines are missing before line %d: they were deleted, or the disk is damaged", d.Line)
	case LineRepeated:
		return fmt.Sprintf("line %d repeats an earlier number: two runs wrote at the same time, or a line was copied", d.Line)
	}
	return fmt.Sprintf("line %d was changed: it was edited, or the disk is damaged; the line is ignored", d.Line)
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
