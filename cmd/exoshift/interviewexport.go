package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/renameio/v2"

	"exoshift/internal/fileread"
)

// exported is the answers file that was written beside a draft.
type exported struct {
	mu      sync.Mutex
	path    string // "" before that
	content []byte
}

// export writes the answers into a file beside a path; files of others are never overwritten.
func (e *exported) export(beside string, content []byte) (path string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for n := 1; ; n++ {
		path = beside + ".answers.yaml"
		if n > 1 {
			path = fmt.Sprintf("%s.answers-%d.yaml", beside, n)
		}
		there, err := fileread.Bytes(path, fileread.Small)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("write the answers file: %w", err)
		case err != nil, bytes.Equal(there, content), e.is(path, there):
			return path, e.write(path, content)
		}
	}
}

// is reports whether a file is unchanged since it was written.
func (e *exported) is(path string, content []byte) bool {
	return e.path == path && bytes.Equal(e.content, content)
}

func (e *exported) write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the answers file: %w", err)
	}
	if err := renameio.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("write the answers file: %w", err)
	}
	e.path, e.content = path, content
	return nil
}

// rewrite replaces the content, unless the file was edited.
func (e *exported) rewrite(content []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	there, err := fileread.Bytes(e.path, fileread.Small)
	if e.path == "" || err != nil || !e.is(e.path, there) {
		return nil
	}
	return e.write(e.path, content)
}
