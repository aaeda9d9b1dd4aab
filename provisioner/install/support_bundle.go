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

// Limits of a support bundle, in bytes.
const (
	fileLimit = 2 << 20 // of one file
	allLimit  = 20 << 20
)

type supportBundle struct {
	folder state.Folder
	dir    string

	mu    sync.Mutex // guards the fields below
	room  int        // bytes that may still be written
	index bundleIndex
	errs  []error // errors of missing parts
}

type bundleIndex struct {
	At      time.Time    `json:"at"`
	Cluster string       `json:"cluster"`
	Failure string       `json:"failure"`
	Files   []bundleFile `json:"files"`
	Missing []string     `json:"missing,omitempty"` // missing parts, with the error
}

type bundleFile struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Cut   int    `json:"cut,omitempty"` // bytes that did not fit
}

func (g *supportBundle) newWriter(dir string) func(name string, content []byte) error {
	return func(name string, content []byte) error { return g.write(filepath.Join(dir, name), content) }
}

// runPart records an error or panic of a part: the failure that is gathered for matters more.
func (g *supportBundle) runPart(what string, gather func() error) {
	defer func() {
		if p := recover(); p != nil {
			g.recordMissing(what, fmt.Errorf("panic: %v", p))
		}
	}()
	g.recordMissing(what, gather())
}

func (g *supportBundle) writeJSON(name string, value any) {
	content, err := json.MarshalIndent(value, "", " ")
	if err == nil {
		err = g.write(name, append(content, '\n'))
	}
	g.recordMissing(name, err)
}

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

func truncateLines(content []byte, room int) []byte {
	if len(content) <= room {
		return content
	}
	for room > 0 && content[room-1] != '\n' {
		room--
	}
	return content[:room]
}

func (g *supportBundle) recordMissing(what string, err error) {
	if err == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.index.Missing = append(g.index.Missing, fmt.Sprintf("%s: %v", what, err))
	g.errs = append(g.errs, fmt.Errorf("%s: %w", what, err))
}

// finish also deletes old bundles.
func (g *supportBundle) finish() error {
	slices.SortFunc(g.index.Files, func(a, b bundleFile) int { return strings.Compare(a.Name, b.Name) })
	content, err := json.MarshalIndent(g.index, "", " ")
	if err == nil {
		err = g.folder.Write(filepath.Join(g.dir, "index.json"), append(content, '\n'))
	}
	return errors.Join(errors.Join(g.errs...), err, g.folder.PruneGathered())
}
