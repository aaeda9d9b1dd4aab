package state

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Journal is the append-only record of intended changes to cloud objects and their results, each line synced to the disk
// before the next call. If the answer of a call is lost, its object is found by the intent.
type Journal struct {
	mu   sync.Mutex
	file journalFile
	now  func() time.Time
	open map[entryKey]bool // intents without a result
	seq  int               // of the last line
	torn bool              // the last line is not terminated, since the disk was full
}

type journalFile interface {
	io.WriteCloser
	Sync() error
}

type entryKey struct{ kind, name string }

// Recorder records each intended change and its result, so that a later run can distinguish an interrupted change from one that
// never began. RecordIntent and RecordResult return only when the entry is safe on disk.
type Recorder interface {
	RecordIntent(kind, name string) error
	RecordResult(kind, name, id string, action Action) error
	// Open reports whether an intent has no result: an object that is found then was adopted.
	Open(kind, name string) bool
}

// NoJournal records nothing: for clients that only read, and for objects that are found by their labels.
type NoJournal struct{}

// RecordIntent does nothing.
func (NoJournal) RecordIntent(string, string) error { return nil }

// RecordResult does nothing.
func (NoJournal) RecordResult(string, string, string, Action) error { return nil }

// Open returns false.
func (NoJournal) Open(string, string) bool { return false }

// Entry is one line: an intent, or a result when Action is set.
type Entry struct {
	Time   time.Time `json:"time"`
	Kind   string    `json:"kind"`
	Name   string    `json:"name"`
	Action Action    `json:"action,omitempty"`
	ID     string    `json:"id,omitempty"`
}

// RecordIntent records that an object is about to be created, changed or deleted.
func (j *Journal) RecordIntent(kind, name string) error {
	return j.write(Entry{Kind: kind, Name: name})
}

// RecordResult records the result of the latest intent of that kind and name.
func (j *Journal) RecordResult(kind, name, id string, action Action) error {
	return j.write(Entry{Kind: kind, Name: name, ID: id, Action: action})
}

// Open reports whether an intent of that kind and name has no result: its call may or may not have happened.
func (j *Journal) Open(kind, name string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.open[entryKey{kind, name}]
}

// write returns when the entry is safe. Others write meanwhile: where the journal is stored elsewhere, one request stores the entries
// of all that wait.
func (j *Journal) write(e Entry) error {
	if err := j.add(&e); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open[entryKey{e.Kind, e.Name}] = e.Action == ""
	return nil
}

// add appends the entry as the next line.
func (j *Journal) add(e *Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Time = j.now()
	line, err := encodeEntry(*e, j.seq+1)
	if err != nil {
		return err
	}
	if err := j.append(line); err != nil {
		return err
	}
	j.seq++
	return nil
}

// append starts a new line even if the previous one was written only in part.
func (j *Journal) append(line []byte) error {
	line = append(line, '\n')
	if j.torn {
		line = append([]byte{'\n'}, line...)
	}
	_, err := j.file.Write(line)
	j.torn = err != nil
	return err
}

// numbered is an entry as in the file, where its checksum follows.
type numbered struct {
	Entry
	Seq int `json:"seq,omitzero"` // counts the lines from 1; 0: an earlier version wrote it
}

func encodeEntry(e Entry, seq int) ([]byte, error) {
	line, err := json.Marshal(numbered{e, seq})
	return appendChecksum(line, "", "}"), err
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
