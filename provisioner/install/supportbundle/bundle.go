package supportbundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"exoshift/internal/stable"
	"exoshift/state"
)

// Limits of a support bundle, in bytes.
const (
	fileLimit = 2 << 20 // of one file
	allLimit  = 20 << 20
)

type bundle struct {
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

func (b *bundle) newWriter(dir string) func(name string, content []byte) error {
	return func(name string, content []byte) error { return b.write(filepath.Join(dir, name), content) }
}

// runPart records an error or panic of a part: the failure that is gathered for matters more.
func (b *bundle) runPart(what string, gather func() error) {
	defer func() {
		if p := recover(); p != nil {
			b.recordMissing(what, fmt.Errorf("panic: %v", p))
		}
	}()
	b.recordMissing(what, gather())
}

func (b *bundle) writeJSON(name string, value any) {
	content, err := json.MarshalIndent(value, "", " ")
	if err == nil {
		err = b.write(name, append(content, '\n'))
	}
	b.recordMissing(name, err)
}

func (b *bundle) write(name string, content []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := truncateLines(content, min(fileLimit, b.room))
	if err := b.folder.Write(filepath.Join(b.dir, name), kept); err != nil {
		return err
	}
	b.room -= len(kept)
	b.index.Files = append(b.index.Files, bundleFile{Name: name, Bytes: len(kept), Cut: len(content) - len(kept)})
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

func (b *bundle) recordMissing(what string, err error) {
	if err == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.index.Missing = append(b.index.Missing, fmt.Sprintf("%s: %v", what, err))
	b.errs = append(b.errs, fmt.Errorf("%s: %w", what, err))
}

// finish also deletes old bundles.
func (b *bundle) finish() error {
	stable.Sort(b.index.Files, func(a, b bundleFile) int { return strings.Compare(a.Name, b.Name) })
	content, err := json.MarshalIndent(b.index, "", " ")
	if err == nil {
		err = b.folder.Write(filepath.Join(b.dir, "index.json"), append(content, '\n'))
	}
	return errors.Join(errors.Join(b.errs...), err, b.folder.PruneGathered())
}
