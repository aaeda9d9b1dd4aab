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

// gathering is a folder that fills.
type gathering struct {
	folder state.Folder
	dir    string

	mu    sync.Mutex // guards the rest
	room  int        // bytes that may still be written
	index index
	errs  []error // why something is missing
}

// index is the last file of a gathering: what is in it and what is not.
type index struct {
	At      time.Time      `json:"at"`
	Cluster string         `json:"cluster"`
	Failure string         `json:"failure"`
	Files   []gatheredFile `json:"files"`
	Missing []string       `json:"missing,omitempty"` // what could not be had, and why
}

type gatheredFile struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Cut   int    `json:"cut,omitempty"` // bytes that there was no room for
}

// below returns a writer of files in a subfolder.
func (g *gathering) below(dir string) func(name string, content []byte) error {
	return func(name string, content []byte) error { return g.write(filepath.Join(dir, name), content) }
}

// part notes what went wrong with a part, a defect of ours too: the failure that is gathered for is what matters.
func (g *gathering) part(what string, gather func() error) {
	defer func() {
		if p := recover(); p != nil {
			g.note(what, fmt.Errorf("panic: %v", p))
		}
	}()
	g.note(what, gather())
}

// json writes a value; what goes wrong is noted.
func (g *gathering) json(name string, value any) {
	content, err := json.MarshalIndent(value, "", " ")
	if err == nil {
		err = g.write(name, append(content, '\n'))
	}
	g.note(name, err)
}

// write writes a file, or as many of its first lines as there is room for.
func (g *gathering) write(name string, content []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept := firstLines(content, min(fileLimit, g.room))
	if err := g.folder.Write(filepath.Join(g.dir, name), kept); err != nil {
		return err
	}
	g.room -= len(kept)
	g.index.Files = append(g.index.Files, gatheredFile{Name: name, Bytes: len(kept), Cut: len(content) - len(kept)})
	return nil
}

// firstLines returns the whole lines of a text that fit into a number of bytes.
func firstLines(content []byte, room int) []byte {
	if len(content) <= room {
		return content
	}
	for room > 0 && content[room-1] != '\n' {
		room--
	}
	return content[:room]
}

// note keeps why something is missing.
func (g *gathering) note(what string, err error) {
	if err == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.index.Missing = append(g.index.Missing, fmt.Sprintf("%s: %v", what, err))
	g.errs = append(g.errs, fmt.Errorf("%s: %w", what, err))
}

// finish writes the index, lets old folders go, and returns what is missing.
func (g *gathering) finish() error {
	slices.SortFunc(g.index.Files, func(a, b gatheredFile) int { return strings.Compare(a.Name, b.Name) })
	content, err := json.MarshalIndent(g.index, "", " ")
	if err == nil {
		err = g.folder.Write(filepath.Join(g.dir, "index.json"), append(content, '\n'))
	}
	return errors.Join(errors.Join(g.errs...), err, g.folder.PruneGathered())
}
