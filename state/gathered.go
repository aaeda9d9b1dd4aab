package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// GatheredDir is where a cluster's folder keeps what was gathered after failures, each time in a folder named after it.
const GatheredDir = "gathered"

// gatheredName is the form of such a name, in UTC: they sort by time.
const gatheredName = "20060102T150405Z"

// keptGatherings is how many of them stay.
const keptGatherings = 5

// FormatGatherDir returns the folder for what is gathered at a moment.
func FormatGatherDir(moment time.Time) string {
	return filepath.Join(GatheredDir, moment.UTC().Format(gatheredName))
}

// ListGathered returns the folders of what was gathered, the newest first.
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

// PruneGathered deletes what was gathered long ago: the newest five stay.
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
