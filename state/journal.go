package state

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"exoshift/internal/fileread"
)

// Journal is the append-only record of what the run was about to do to the cloud and what came of it, each line on
// the disk before the next call. A lost answer is found again by what the journal intended.
type Journal struct {
	mu   sync.Mutex
	file journalFile
	now  func() time.Time
	open map[entryKey]bool // intents without a result
	torn bool              // the last line has no end, for the disk was full
}

// journalFile is what the journal needs of an *os.File.
type journalFile interface {
	io.WriteCloser
	Sync() error
}

type entryKey struct{ kind, name string }

// Entry is one line: an intent, or a result when Action is set.
type Entry struct {
	Time   time.Time `json:"time"`
	Kind   string    `json:"kind"`
	Name   string    `json:"name"`
	Action Action    `json:"action,omitempty"`
	ID     string    `json:"id,omitempty"`
}

// OpenJournal opens the folder's journal and reads which intents have no result.
func (f Folder) OpenJournal(now func() time.Time) (*Journal, error) {
	open, err := f.openIntents()
	if err != nil {
		return nil, err
	}
	file, err := f.Append(JournalFile)
	if err != nil {
		return nil, err
	}
	return &Journal{file: file, now: now, open: open}, nil
}

func (f Folder) openIntents() (map[entryKey]bool, error) {
	entries, err := f.JournalEntries()
	if err != nil {
		return nil, err
	}
	open := map[entryKey]bool{}
	for _, e := range entries {
		key := entryKey{e.Kind, e.Name}
		if e.Action == "" {
			open[key] = true
		} else {
			delete(open, key)
		}
	}
	return open, nil
}

// JournalEntries returns what all runs noted so far, the oldest first; no journal is no error. Lines that a killed
// process left torn are left out: what they intended is looked up in the cloud.
func (f Folder) JournalEntries() ([]Entry, error) {
	file, err := fileread.Open(f.Path(JournalFile), fileread.Lines)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	defer file.Close()
	var entries []Entry
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var e Entry
		if json.Unmarshal(lines.Bytes(), &e) == nil {
			entries = append(entries, e)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return entries, nil
}

// Intend notes what is about to be created, changed or deleted.
func (j *Journal) Intend(kind, name string) error {
	return j.write(Entry{Kind: kind, Name: name})
}

// Done notes what came of the latest intent of that kind and name.
func (j *Journal) Done(kind, name, id string, action Action) error {
	return j.write(Entry{Kind: kind, Name: name, ID: id, Action: action})
}

// Open tells whether an intent of that kind and name has no result: its call may or may not have happened.
func (j *Journal) Open(kind, name string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.open[entryKey{kind, name}]
}

func (j *Journal) write(e Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Time = j.now()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if err := j.append(line); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	j.open[entryKey{e.Kind, e.Name}] = e.Action == ""
	return nil
}

// append writes a line, on a line of its own even if the one before it came to the disk in part.
func (j *Journal) append(line []byte) error {
	line = append(line, '\n')
	if j.torn {
		line = append([]byte{'\n'}, line...)
	}
	_, err := j.file.Write(line)
	j.torn = err != nil
	return err
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
