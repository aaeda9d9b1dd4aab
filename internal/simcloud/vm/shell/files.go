package shell

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

const executable fs.FileMode = 0o100

// Disk stores files that outlive a restart of the zone.
type Disk interface {
	ReadFile(path string) ([]byte, bool)
	WriteFile(path string, content []byte) error
}

// Files are the files of a machine. Directories for temporary files are lost when the zone's process ends.
type Files struct {
	disk Disk

	mu             sync.Mutex
	temporaryFiles map[string]file
	folders        map[string]bool // created ones, below those for temporary files
	made           int             // number of generated names
}

type file struct {
	content []byte
	mode    fs.FileMode
}

// NewFiles returns the files of a disk, and no temporary ones.
func NewFiles(disk Disk) *Files {
	return &Files{disk: disk, temporaryFiles: map[string]file{}, folders: map[string]bool{}}
}

func findTempFolder(name string) string {
	for _, folder := range []string{"/tmp", "/var/tmp", "/dev/shm", "/run"} {
		if name == folder || strings.HasPrefix(name, folder+"/") {
			return folder
		}
	}
	return ""
}

func (f *Files) read(name string) (content []byte, mode fs.FileMode, found bool) {
	name = path.Clean(name)
	if findTempFolder(name) == "" {
		content, found = f.disk.ReadFile(name)
		return content, 0o644, found
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	one, found := f.temporaryFiles[name]
	return one.content, one.mode, found
}

// write replaces a file, whose directory must exist.
func (f *Files) write(name string, content []byte) error {
	name = path.Clean(name)
	if findTempFolder(name) == "" {
		return f.disk.WriteFile(name, content)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.hasFolder(path.Dir(name)) {
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	mode := fs.FileMode(0o600)
	if before, found := f.temporaryFiles[name]; found {
		mode = before.mode
	}
	f.temporaryFiles[name] = file{content, mode}
	return nil
}

// hasFolder is for directories of temporary files; the caller holds the lock.
func (f *Files) hasFolder(name string) bool { return f.folders[name] || findTempFolder(name) == name }

func (f *Files) isFolder(name string) bool {
	name = path.Clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hasFolder(name) || slices.Contains([]string{"/", "/root", "/etc", "/var", "/var/lib"}, name)
}

func (f *Files) setMode(name string, mode fs.FileMode) bool {
	name = path.Clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	one, found := f.temporaryFiles[name]
	if found {
		one.mode = mode
		f.temporaryFiles[name] = one
	}
	return found
}

func (f *Files) makeFolder(name string) bool {
	name = path.Clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hasFolder(name) || !f.hasFolder(path.Dir(name)) {
		return false
	}
	f.folders[name] = true
	return true
}

// remove removes a temporary file, or a directory recursively. It reports whether it existed.
func (f *Files) remove(name string, whole bool) bool {
	name = path.Clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	_, found := f.temporaryFiles[name]
	delete(f.temporaryFiles, name)
	if !whole || !f.folders[name] {
		return found
	}
	for inner := range f.temporaryFiles {
		if strings.HasPrefix(inner, name+"/") {
			delete(f.temporaryFiles, inner)
		}
	}
	for inner := range f.folders {
		if inner == name || strings.HasPrefix(inner, name+"/") {
			delete(f.folders, inner)
		}
	}
	return true
}

type info struct {
	name   string
	size   int64
	mode   fs.FileMode
	folder bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.folder }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o700
	}
	return i.mode
}
