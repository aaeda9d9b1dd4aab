package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// GatheredDir is the folder for support data, which is gathered after failures, each time into a folder named by the
// time.
const GatheredDir = "gathered"

// In UTC, so that names sort by time.
const gatheredName = "20060102T150405Z"

const keptGatherings = 5

// FormatGatherDir returns the folder for the data of a moment.
func FormatGatherDir(moment time.Time) string {
	return filepath.Join(GatheredDir, moment.UTC().Format(gatheredName))
}

// ListGathered returns the folders with gathered data, the newest first.
func (f Folder) ListGathered() ([]string, error) {
	entries, err := os.ReadDir(f.Path(GatheredDir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list what was gathered: %w", err)
	}
	var found []string
	for _, entry := range slices.Backward(entries) {
		if _, err := time.Parse(gatheredName, entry.Name()); err == nil && entry.IsDir() {
			found = append(found, filepath.Join(GatheredDir, entry.Name()))
		}
	}
	return found, nil
}

// PruneGathered deletes gathered data except for the newest five folders.
func (f Folder) PruneGathered() error {
	found, err := f.ListGathered()
	if err != nil {
		return err
	}
	for _, dir := range found[min(len(found), keptGatherings):] {
		if err := os.RemoveAll(f.Path(dir)); err != nil {
			return fmt.Errorf("delete what was gathered long ago: %w", err)
		}
	}
	return nil
}
