package connectivity

import (
	"fmt"
	"os"
	"sync"
)

// TempDir is a temporary folder that is created when it is needed.
type TempDir struct {
	mu   sync.Mutex
	path string
}

// Ensure returns the path of the folder.
func (s *TempDir) Ensure() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path != "" {
		return s.path, nil
	}
	path, err := os.MkdirTemp("", "exoshift-check-")
	if err != nil {
		return "", fmt.Errorf("make a temporary folder: %w", err)
	}
	s.path = path
	return path, nil
}

// Remove removes the folder, if there is one.
func (s *TempDir) Remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path != "" {
		_ = os.RemoveAll(s.path)
	}
}
