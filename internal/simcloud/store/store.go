// Package store keeps the state of a simulated zone: tables of JSON values in memory, written through to one file so that a
// killed process loses nothing it acknowledged.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bberrors "go.etcd.io/bbolt/errors"
)

// lockTimeout is the time for another process to close the file.
const lockTimeout = 2 * time.Second

// ErrInUse is returned while another process has the store open.
var ErrInUse = errors.New("in use by another process; stop that process or use another folder")

// DB is an open store. Without a file it is in memory only.
type DB struct{ bolt *bbolt.DB }

// NewMemory returns a store without a file.
func NewMemory() *DB { return &DB{} }

// Open opens or creates zone.db in dir. Writes are handed to the operating system before they are acknowledged, but not
// synced to the disk: they survive a killed process, not a power cut, which is all a simulated zone needs. It fails
// with ErrInUse if another process has the store.
func Open(dir string) (*DB, error) {
	bolt, err := bbolt.Open(filepath.Join(dir, "zone.db"), 0o600, &bbolt.Options{NoSync: true, NoFreelistSync: true, Timeout: lockTimeout})
	if errors.Is(err, bberrors.ErrTimeout) {
		err = ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("open the simulated zone's state in %s: %w", dir, err)
	}
	return &DB{bolt: bolt}, nil
}

// Close closes the file.
func (db *DB) Close() error {
	if db.bolt == nil {
		return nil
	}
	return db.bolt.Close()
}

// Table is a map from string keys to values of T, safe for concurrent use. Values are copied by JSON on the way to
// the file only: treat what Get and List return as read-only, and Put a changed copy.
type Table[T any] struct {
	mu      sync.RWMutex
	rows    map[string]T
	version uint64
	db      *DB
	name    []byte
}

// Load loads the table of that name, or creates an empty one.
func Load[T any](db *DB, name string) (*Table[T], error) {
	t := &Table[T]{rows: map[string]T{}, db: db, name: []byte(name)}
	if db.bolt == nil {
		return t, nil
	}
	return t, db.bolt.Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists(t.name)
		if err != nil {
			return err
		}
		return bucket.ForEach(func(k, v []byte) error {
			var row T
			if err := json.Unmarshal(v, &row); err != nil {
				return fmt.Errorf("simulated zone's state, %s/%s: %w", name, k, err)
			}
			t.rows[string(k)] = row
			return nil
		})
	})
}

// Get returns the value of key.
func (t *Table[T]) Get(key string) (T, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	row, ok := t.rows[key]
	return row, ok
}

// List returns all values in the order of their keys.
func (t *Table[T]) List() []T {
	t.mu.RLock()
	defer t.mu.RUnlock()
	keys := make([]string, 0, len(t.rows))
	for key := range t.rows {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	rows := make([]T, len(keys))
	for i, key := range keys {
		rows[i] = t.rows[key]
	}
	return rows
}

// Version counts the changes since the table was loaded.
func (t *Table[T]) Version() uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.version
}

// Put stores a value under key.
func (t *Table[T]) Put(key string, row T) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.db.bolt != nil {
		value, err := json.Marshal(row)
		if err != nil {
			return err
		}
		if err := t.db.bolt.Update(func(tx *bbolt.Tx) error { return tx.Bucket(t.name).Put([]byte(key), value) }); err != nil {
			return err
		}
	}
	t.rows[key] = row
	t.version++
	return nil
}

// Delete removes key; a missing key is ignored.
func (t *Table[T]) Delete(key string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.db.bolt != nil {
		if err := t.db.bolt.Update(func(tx *bbolt.Tx) error { return tx.Bucket(t.name).Delete([]byte(key)) }); err != nil {
			return err
		}
	}
	delete(t.rows, key)
	t.version++
	return nil
}
