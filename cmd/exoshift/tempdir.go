package main

import (
	"fmt"
	"os"
	"sync"
)

type tempDir struct {
	mu   sync.Mutex
	path string
}

func (s *tempDir) ensure() (string, error) {
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

func (s *tempDir) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path != "" {
		_ = os.RemoveAll(s.path)
	}
}
