package s3

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/uuid"
)

// blobs stores bytes under generated names.
type blobs interface {
	write(source io.Reader) (name string, size int64, err error)
	open(name string) (io.ReadSeekCloser, error)
	remove(name string) // a leftover blob is removed at the next start
	removeUnused(used map[string]bool) error
}

func openBlobs(dir string) (blobs, error) {
	if dir == "" {
		return &memory{blobs: map[string][]byte{}}, nil
	}
	return folder(dir), os.MkdirAll(dir, 0o700)
}

type memory struct {
	mu    sync.RWMutex
	blobs map[string][]byte
}

func (m *memory) write(source io.Reader) (string, int64, error) {
	content, err := io.ReadAll(source)
	if err != nil {
		return "", 0, err
	}
	name := uuid.NewString()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blobs[name] = content
	return name, int64(len(content)), nil
}

func (m *memory) open(name string) (io.ReadSeekCloser, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	content, ok := m.blobs[name]
	if !ok {
		return nil, os.ErrNotExist
	}
	return nopCloser{bytes.NewReader(content)}, nil
}

type nopCloser struct{ *bytes.Reader }

func (nopCloser) Close() error { return nil }

func (m *memory) remove(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.blobs, name)
}

func (m *memory) removeUnused(map[string]bool) error { return nil }

type folder string

func (f folder) write(source io.Reader) (string, int64, error) {
	name := uuid.NewString()
	file, err := os.OpenFile(f.filePath(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", 0, err
	}
	size, err := io.Copy(file, source)
	if fault := file.Close(); err == nil {
		err = fault
	}
	return name, size, err
}

func (f folder) filePath(name string) string { return filepath.Join(string(f), name) }

func (f folder) open(name string) (io.ReadSeekCloser, error) { return os.Open(f.filePath(name)) }

func (f folder) remove(name string) {
	if name != "" {
		_ = os.Remove(f.filePath(name)) // a leftover is removed at the next start
	}
}

// removeUnused removes the leftovers of a killed process.
func (f folder) removeUnused(used map[string]bool) error {
	files, err := os.ReadDir(string(f))
	if err != nil {
		return err
	}
	for _, file := range files {
		if !used[file.Name()] && uuid.Validate(file.Name()) == nil {
			f.remove(file.Name())
		}
	}
	return nil
}
