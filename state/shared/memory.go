package shared

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/renameio/v2"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

// Memory is what this machine has seen of a place: with it, a place that was replaced by another one, or put back to an earlier
// state, is recognized. It is a file of this machine.
type Memory struct {
	path string

	mu       sync.Mutex
	seen     seen
	deferred int  // calls of Defer that have not ended
	unsaved  bool // meanwhile
}

type seen struct {
	Place    string         `json:"place"`    // its ID
	Key      string         `json:"key"`      // checksum of its key
	Counters map[string]int `json:"counters"` // the highest one of each cluster
}

// OpenMemory reads the file; a missing one is no error.
func OpenMemory(path string) (*Memory, error) {
	m := &Memory{path: path}
	content, err := fileread.Bytes(path, fileread.Small)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &m.seen)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "read what is known of shared state", err).
			WithHint("remove %s if this is the right shared state", path)
	}
	return m, nil
}

// CheckPlace fails if another place than the one that was seen before is at its address.
func (m *Memory) CheckPlace(id string, key []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.seen.Place == "":
		m.seen = seen{Place: id, Key: hash(key)}
		return m.save()
	case m.seen.Place != id || m.seen.Key != hash(key):
		return fault.Newf(fault.Conflict, "open shared state", "it is not the one that this machine used before at this address").
			WithHint("if it was set up again intentionally, remove %s", m.path)
	}
	return nil
}

// CheckCounter fails if a cluster's counter is lower than one that was seen before, and else remembers it.
func (m *Memory) CheckCounter(cluster string, counter int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch known := m.seen.Counters[cluster]; {
	case counter < known:
		return fault.Newf(fault.Conflict, "read the shared state of cluster "+cluster, "it is older than the last one on this machine: state %d after %d", counter, known).
			WithHint("it was restored from an earlier version; if that was intentional, remove %s", m.path)
	case counter == known:
		return nil
	}
	if m.seen.Counters == nil {
		m.seen.Counters = map[string]int{}
	}
	m.seen.Counters[cluster] = counter
	return m.save()
}

// Defer has the file written once by release, not by each call until then.
func (m *Memory) Defer() (release func() error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deferred++
	return func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.deferred--; m.deferred > 0 || !m.unsaved {
			return nil
		}
		return m.save()
	}
}

func (m *Memory) save() error {
	if m.unsaved = m.deferred > 0; m.unsaved {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return fmt.Errorf("remember shared state: %w", err)
	}
	if err := renameio.WriteFile(m.path, encode(m.seen), 0o600); err != nil {
		return fmt.Errorf("remember shared state: %w", err)
	}
	return nil
}
