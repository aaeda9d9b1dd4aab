package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/state"
)

// How much is gathered after a failure, in bytes.
const (
	fileLimit = 2 << 20 // of one file
	allLimit  = 20 << 20
)

// supportBundle is a folder that fills.
type supportBundle struct {
	folder state.Folder
	dir    string

	mu    sync.Mutex // guards the rest
	room  int        // bytes that may still be written
	index bundleIndex
	errs  []error // why something is missing
}

// bundleIndex is the last file of a gathering: what is in it and what is not.
type bundleIndex struct {
	At      time.Time    `json:"at"`
	Cluster string       `json:"cluster"`
	Failure string       `json:"failure"`
	Files   []bundleFile `json:"files"`
	Missing []string     `json:"missing,omitempty"` // what could not be had, and why
}

type bundleFile struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Cut   int    `json:"cut,omitempty"` // bytes that there was no room for
}

// newWriter returns a writer of files in a subfolder.
func (g *supportBundle) newWriter(dir string) func(name string, content []byte) error {
	return func(name string, content []byte) error { return g.write(filepath.Join(dir, name), content) }
}

// runPart notes what went wrong with a part, a defect of ours too: the failure that is gathered for is what matters.
func (g *supportBundle) runPart(what string, gather func() error) {
	defer func() {
		if p := recover(); p != nil {
			g.recordMissing(what, fmt.Errorf("panic: %v", p))
		}
	}()
	g.recordMissing(what, gather())
}

// writeJSON writes a value; what goes wrong is noted.
func (g *supportBundle) writeJSON(name string, value any) {
	content, err := json.MarshalIndent(value, "", " ")
	if err == nil {
		err = g.write(name, append(content, '\n'))
	}
	g.recordMissing(name, err)
}

// write writes a file, or as many of its first lines as there is room for.
func (g *supportBundle) write(name string, content []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept := truncateLines(content, min(fileLimit, g.room))
	if err := g.folder.Write(filepath.Join(g.dir, name), kept); err != nil {
		return err
	}
	g.room -= len(kept)
	g.index.Files = append(g.index.Files, bundleFile{Name: name, Bytes: len(kept), Cut: len(content) - len(kept)})
	return nil
}

// truncateLines returns the whole lines of a text that fit into a number of bytes.
func truncateLines(content []byte, room int) []byte {
	if len(content) <= room {
		return content
	}
	for room > 0 && content[room-1] != '\n' {
		room--
	}
	return content[:room]
}

// recordMissing keeps why something is missing.
func (g *supportBundle) recordMissing(what string, err error) {
	if err == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.index.Missing = append(g.index.Missing, fmt.Sprintf("%s: %v", what, err))
	g.errs = append(g.errs, fmt.Errorf("%s: %w", what, err))
}

// finish writes the index, lets old folders go, and returns what is missing.
func (g *supportBundle) finish() error {
	slices.SortFunc(g.index.Files, func(a, b bundleFile) int { return strings.Compare(a.Name, b.Name) })
	content, err := json.MarshalIndent(g.index, "", " ")
	if err == nil {
		err = g.folder.Write(filepath.Join(g.dir, "index.json"), append(content, '\n'))
	}
	return errors.Join(errors.Join(g.errs...), err, g.folder.PruneGathered())
}
