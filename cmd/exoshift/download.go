package main

import (
	"fmt"
	"path/filepath"

	"exoshift/internal/app/exit"
	"exoshift/internal/fileread"
)

func (o options) readReleaseKey() ([]byte, error) {
	if o.releaseKey == "" {
		return nil, nil
	}
	key, err := fileread.Text(o.releaseKey, fileread.Small)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--release-key: %w", err))
	}
	return key, nil
}

// toAbsolutePath prevents a lookup in PATH; "" stays.
func toAbsolutePath(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", exit.WithCode(exit.Usage, fmt.Errorf("%s: %w", path, err))
	}
	return whole, nil
}
