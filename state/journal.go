package state

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// Journal is the append-only record of what the run was about to do to the cloud and what came of it, each line on
// the disk before the next call. A lost answer is found again by what the journal intended.
type Journal struct {
	mu   sync.Mutex
	file *os.File
	now  func() time.Time
	open map[entryKey]bool // intents without a result
}

type entryKey struct{ kind, name string }

// entry is one line: an intent, or a result when Action is set.
type entry struct {
	Time   time.Time `json:"time"`
	Kind   string    `json:"kind"`
	Name   string    `json:"name"`
	Action Action    `json:"action,omitempty"`
	ID     string    `json:"id,omitempty"`
}

// OpenJournal opens the folder's journal and reads which intents have no result.
func (f Folder) OpenJournal(now func() time.Time) (*Journal, error) {
	open, err := openIntents(f.Path(JournalFile))
	if err != nil {
		return nil, err
	}
	file, err := f.Append(JournalFile)
	if err != nil {
		return nil, err
	}
	return &Journal{file: file, now: now, open: open}, nil
}

func openIntents(path string) (map[entryKey]bool, error) {
	open := map[entryKey]bool{}
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return open, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // the last line of a killed process may be torn; what it intended is looked up in the cloud
		}
		key := entryKey{e.Kind, e.Name}
		if e.Action == "" {
			open[key] = true
		} else {
			delete(open, key)
		}
	}
	return open, lines.Err()
}

// Intend notes what is about to be created, changed or deleted.
func (j *Journal) Intend(kind, name string) error {
	return j.write(entry{Kind: kind, Name: name})
}

// Done notes what came of the latest intent of that kind and name.
func (j *Journal) Done(kind, name, id string, action Action) error {
	return j.write(entry{Kind: kind, Name: name, ID: id, Action: action})
}

// Open tells whether an intent of that kind and name has no result: its call may or may not have happened.
func (j *Journal) Open(kind, name string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.open[entryKey{kind, name}]
}

func (j *Journal) write(e entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Time = j.now()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	j.open[entryKey{e.Kind, e.Name}] = e.Action == ""
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
