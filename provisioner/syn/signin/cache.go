package signin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"exoshift/internal/fileread"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

const (
	maxCache = 4 << 20 // bytes
	// lockLimit is how long another process may hold the lock: it writes a few thousand bytes.
	lockLimit = 2 * time.Second
)

// CachePath returns the path of commodore's token cache, below a cache folder such as $XDG_CACHE_HOME.
func CachePath(cacheHome string) string { return filepath.Join(cacheHome, "commodore", "token") }

// cache is the entry of one API in commodore's token cache.
type cache struct {
	path string // "": nothing is cached
	api  string
}

func (c cache) readEntries() (map[string]json.RawMessage, error) {
	entries := map[string]json.RawMessage{}
	content, err := fileread.Bytes(c.path, maxCache)
	if os.IsNotExist(err) {
		return entries, nil
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(content, &entries) != nil || entries == nil {
		return map[string]json.RawMessage{}, nil // commodore cannot read it either
	}
	return entries, nil
}

// load accepts the whole response of the token endpoint, or, from older versions of commodore, the ID token alone.
func (c cache) load() tokenSet {
	if c.path == "" {
		return tokenSet{}
	}
	entries, err := c.readEntries()
	if err != nil {
		return tokenSet{}
	}
	var found tokenSet
	entry := entries[c.api]
	if json.Unmarshal(entry, &found.IDToken) == nil {
		return found
	}
	if json.Unmarshal(entry, &found) != nil {
		return tokenSet{}
	}
	return found
}

func (c cache) save(fresh tokenSet) error {
	entry, err := json.Marshal(fresh.answer)
	if err != nil || c.path == "" {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	return c.updateEntries(func(entries map[string]json.RawMessage) { entries[c.api] = entry })
}

// remove removes a rejected token: otherwise the next run would begin with it.
func (c cache) remove(token string) error {
	if c.path == "" || c.load().IDToken != token {
		return nil
	}
	return c.updateEntries(func(entries map[string]json.RawMessage) { delete(entries, c.api) })
}

// updateEntries changes the entry of this API and leaves the others unchanged. The file is replaced atomically.
func (c cache) updateEntries(edit func(entries map[string]json.RawMessage)) error {
	defer c.lock()()
	entries, err := c.readEntries()
	if err != nil {
		return err
	}
	edit(entries)
	content, err := json.MarshalIndent(entries, "", " ")
	if err != nil {
		return err
	}
	return replaceFile(c.path, content)
}

// lock excludes other processes of exoshift. commodore uses no lock, and a cache that cannot be locked is better than none.
func (c cache) lock() (release func()) {
	ctx, cancel := context.WithTimeout(context.Background(), lockLimit)
	defer cancel()
	if fileread.CheckPath(c.path+".lock") != nil {
		return func() {}
	}
	lock := flock.New(c.path+".lock", flock.SetPermissions(0o600))
	_, _ = lock.TryLockContext(ctx, time.Millisecond)
	return func() { _ = lock.Close() }
}

// replaceFile sets mode 0600, also if the old file was readable by others.
func replaceFile(path string, content []byte) error {
	file, err := renameio.NewPendingFile(path, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return err
	}
	defer func() { _ = file.Cleanup() }()
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}
