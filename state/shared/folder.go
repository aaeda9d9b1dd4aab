package shared

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/state"
	"exoshift/state/store"
)

// streams are the files of lines that only grow. They hold no secret.
var streams = []string{state.JournalFile, state.EventsFile, state.TeardownFile, state.NodesFile} //nolint:gochecknoglobals // a table that nothing changes

// readable files hold no secret, so that whoever looks after the storage can read them. All others are encrypted.
var readable = []string{state.AnswersFile, state.FactsFile, state.HandoverFile} //nolint:gochecknoglobals // a table that nothing changes

// excluded are made anew wherever they are needed.
var excluded = []string{"lock", "lock.json", state.BinDir} //nolint:gochecknoglobals // a table that nothing changes

// working is a private copy of a cluster's folder, and what of it is stored.
type working struct {
	path    string
	head    Head
	version store.Version          // of the head that was read
	files   map[string]fs.FileInfo // as they were when they were stored
	offsets map[string]int64       // bytes of each stream that are stored
	streams map[string]fs.FileInfo // of which offsets are
}

func newWorking(path string, head Head) *working {
	return &working{path: path, head: head, files: map[string]fs.FileInfo{}, offsets: map[string]int64{}, streams: map[string]fs.FileInfo{}}
}

// ownFolder stands for the path of the folder in answers that are stored: each copy of it has a path of its own.
const ownFolder = "/exoshift-folder"

func (w *working) toStored(name string, content []byte) []byte {
	if name != state.AnswersFile {
		return content
	}
	return bytes.ReplaceAll(content, []byte(w.path+"/"), []byte(ownFolder+"/"))
}

func (w *working) fromStored(name string, content []byte) []byte {
	if name != state.AnswersFile {
		return content
	}
	return bytes.ReplaceAll(content, []byte(ownFolder+"/"), []byte(w.path+"/"))
}

// isKept reports whether a file belongs into shared state; renameio's temporary files begin with a dot.
func isKept(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !slices.Contains(excluded, first) && !slices.Contains(streams, name) && !strings.HasPrefix(filepath.Base(name), ".tmp-")
}

// fetch copies a cluster's folder to an empty directory. A head that is replaced meanwhile is read again.
func (r *repository) fetch(ctx context.Context, id, path string) (*working, error) {
	for attempt := 1; ; attempt++ {
		head, version, err := r.readHead(ctx, id)
		if err != nil {
			return nil, err
		}
		if version == "" {
			return newWorking(path, head), nil
		}
		w, err := r.fetchHead(ctx, head, path)
		w.version = version
		if err == nil || attempt == 3 || !errors.Is(err, fs.ErrNotExist) {
			return w, err
		}
	}
}

func (r *repository) fetchHead(ctx context.Context, head Head, path string) (*working, error) {
	w := newWorking(path, head)
	names := slices.Sorted(maps.Keys(head.Files))
	infos := make([]fs.FileInfo, len(names))
	err := forEach(ctx, len(names), func(ctx context.Context, n int) error {
		content, err := r.getFile(ctx, names[n], head.Files[names[n]])
		if err == nil {
			infos[n], err = w.write(names[n], w.fromStored(names[n], content), fs.FileMode(head.Files[names[n]].Mode))
		}
		return err
	})
	if err != nil {
		return w, err
	}
	for n, name := range names {
		w.files[name] = infos[n]
	}
	for _, stream := range slices.Sorted(maps.Keys(head.Streams)) {
		kept := head.Streams[stream]
		lines, parts, err := r.readStream(ctx, head.Cluster, stream, kept)
		if err == nil {
			w.streams[stream], err = w.write(stream, lines, 0o600)
		}
		if err != nil {
			return w, err
		}
		kept.Segments = parts
		w.head.Streams[stream], w.offsets[stream] = kept, int64(len(lines))
	}
	return w, nil
}

// write creates a file of the copy; a name that leaves it is refused. The copy is not written through to the disk: after a crash of the
// machine it is fetched again.
func (w *working) write(name string, content []byte, mode fs.FileMode) (fs.FileInfo, error) {
	path := filepath.Join(w.path, filepath.FromSlash(name))
	if !filepath.IsLocal(name) {
		return nil, fault.Newf(fault.Invalid, "copy shared state", "%q is not a name within a folder", name)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = createFile(path, content, mode.Perm()&0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("copy shared state: %w", err)
	}
	return os.Stat(path) //nolint:wrapcheck // it was written a moment ago
}

// createFile replaces what an earlier attempt has left.
func createFile(path string, content []byte, mode fs.FileMode) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// listFiles returns the files to store, by name.
func (w *working) listFiles() (map[string]fs.FileInfo, error) {
	found := map[string]fs.FileInfo{}
	err := filepath.WalkDir(w.path, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(w.path, path)
		if err != nil || name == "." {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() && !isKept(name) {
			return filepath.SkipDir
		}
		if !entry.Type().IsRegular() || !isKept(name) {
			return nil
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		found[name] = info
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the copy of shared state: %w", err)
	}
	return found, nil
}

func isUnchanged(before, after fs.FileInfo) bool {
	return before != nil && os.SameFile(before, after) && before.Size() == after.Size() && before.ModTime().Equal(after.ModTime()) && before.Mode() == after.Mode()
}

// storeFiles stores what has changed since it was stored last, and returns the next head; changed is false if nothing has.
func (r *repository) storeFiles(ctx context.Context, w *working) (head Head, infos map[string]fs.FileInfo, changed bool, err error) {
	found, err := w.listFiles()
	if err != nil {
		return w.head, nil, false, err
	}
	head = w.head
	head.Files = map[string]File{}
	infos = map[string]fs.FileInfo{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		known, exists := w.head.Files[name]
		if exists && isUnchanged(w.files[name], found[name]) {
			head.Files[name], infos[name] = known, found[name]
			continue
		}
		content, err := fileread.Bytes(filepath.Join(w.path, filepath.FromSlash(name)), fileread.Large)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return head, nil, false, fmt.Errorf("store %s: %w", name, err)
		}
		content = w.toStored(name, content)
		mode := found[name].Mode().Perm()
		if exists && known.Plain == r.sealer.authenticate(content) && known.Mode == uint32(mode) {
			head.Files[name], infos[name] = known, found[name]
			continue
		}
		if head.Files[name], err = r.putFile(ctx, w.head.Cluster, content, !slices.Contains(readable, name), mode); err != nil {
			return head, nil, false, err
		}
		infos[name] = found[name]
	}
	return head, infos, !maps.Equal(head.Files, w.head.Files), nil
}

// newLines are what a stream has beyond what is stored of it.
type newLines struct {
	lines    []byte
	replaced bool        // the file does not continue what is stored, which lines replace
	file     fs.FileInfo // of which they are; nil: there is none
}

// readNewLines returns the whole lines of a stream that are not stored yet.
func (w *working) readNewLines(stream string) (found newLines, err error) {
	file, err := fileread.Open(filepath.Join(w.path, stream), fileread.Lines)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, fmt.Errorf("store %s: %w", stream, err)
	}
	defer file.Close()
	if found.file, err = file.Stat(); err != nil {
		return found, fmt.Errorf("store %s: %w", stream, err)
	}
	from, known := w.offsets[stream], w.streams[stream]
	if found.file.Size() < from || known != nil && !os.SameFile(known, found.file) {
		from, found.replaced = 0, true
	}
	lines := make([]byte, found.file.Size()-from)
	if _, err := file.ReadAt(lines, from); err != nil {
		return found, fmt.Errorf("store %s: %w", stream, err)
	}
	found.lines = lines[:bytes.LastIndexByte(lines, '\n')+1]
	return found, nil
}
