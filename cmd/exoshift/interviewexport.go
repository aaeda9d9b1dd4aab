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
	"exoshift/state"
	"exoshift/wizard"
)

type exported struct {
	mu      sync.Mutex
	path    string // "" before that
	content []byte
}

func (c *interviewBackend) export(answers *wizard.Answers) (path string, err error) {
	base, err := c.resolveFolder(answers.Spec)
	if err != nil {
		return "", err
	}
	c.exported.mu.Lock()
	defer c.exported.mu.Unlock()
	content := wizard.Export(answers.Spec, answers.Origins)
	for n := 1; ; n++ {
		path = base + ".answers.yaml"
		if n > 1 {
			path = fmt.Sprintf("%s.answers-%d.yaml", base, n)
		}
		there, err := fileread.Bytes(path, fileread.Small)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("write the answers file: %w", err)
		case err != nil, bytes.Equal(there, content), c.exported.is(path, there):
			return path, c.exported.write(path, content)
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

// rewriteExport updates the references to secrets that were moved, unless the file was edited.
func (c *interviewBackend) rewriteExport(spec state.Spec) error {
	c.exported.mu.Lock()
	defer c.exported.mu.Unlock()
	there, err := fileread.Bytes(c.exported.path, fileread.Small)
	if c.exported.path == "" || err != nil || !c.exported.is(c.exported.path, there) {
		return nil
	}
	return c.exported.write(c.exported.path, wizard.Export(spec, c.finalAnswers().Origins))
}
