package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"exoshift/internal/fault"
	"exoshift/internal/text"
)

const (
	privateFolder = 0o700
	privateFile   = 0o600
	maxEntries    = 20_000 // files and folders
	maxDepth      = 30     // nested folders
	maxPath       = 1000   // bytes
)

type checkout struct {
	from  *snapshot
	files []plannedFile
	bytes int64
}

type plannedFile struct {
	name string
	mode filemode.FileMode
	hash plumbing.Hash
}

func (s *snapshot) checkOut(tree *object.Tree, dir string) error {
	c := &checkout{from: s}
	if err := c.addFolder(tree, "", 0); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, file := range c.files {
		if err := c.write(root, file); err != nil {
			return err
		}
	}
	return nil
}

func (c *checkout) addFolder(tree *object.Tree, name string, depth int) error {
	if depth > maxDepth {
		return c.newUnsafeError(name, "folders are nested too deeply")
	}
	seen := map[string]string{}
	for _, entry := range tree.Entries {
		below := path.Join(name, entry.Name)
		if other, taken := seen[foldCase(entry.Name)]; taken {
			return c.newUnsafeError(below, fmt.Sprintf("it differs from %q only in case", other))
		}
		seen[foldCase(entry.Name)] = entry.Name
		if len(c.files) >= maxEntries {
			return c.newUnsafeError(below, fmt.Sprintf("there are more than %d files", maxEntries))
		}
		if !isSafePath(below) || strings.Contains(entry.Name, "/") {
			return c.newUnsafeError(below, "the file name is not safe")
		}
		if err := c.addEntry(entry, below, depth); err != nil {
			return err
		}
	}
	return nil
}

// foldCase maps names to the same string that are one file on a case-insensitive file system.
func foldCase(name string) string { return strings.ToLower(strings.ToUpper(name)) }

func (c *checkout) addEntry(entry object.TreeEntry, name string, depth int) error {
	c.files = append(c.files, plannedFile{name, entry.Mode, entry.Hash})
	switch entry.Mode {
	case filemode.Dir:
		tree, err := object.GetTree(c.from.objects, entry.Hash)
		if err != nil {
			return err
		}
		return c.addFolder(tree, name, depth+1)
	case filemode.Regular, filemode.Executable, filemode.Deprecated:
		return c.addSize(name, entry.Hash)
	case filemode.Symlink: // a link upwards could leave the folder by way of another link
		target, err := readBlob(c.from.objects, entry.Hash)
		if err != nil || isSafePath(string(target)) {
			return err
		}
		return c.newUnsafeError(name, "it is a link that may point outside of the repository")
	}
	return c.newUnsafeError(name, "it is neither a file nor a directory")
}

func (c *checkout) addSize(name string, hash plumbing.Hash) error {
	found, err := object.GetBlob(c.from.objects, hash)
	if err != nil {
		return err
	}
	if c.bytes += found.Size; c.bytes > maxUnpacked {
		return c.newUnsafeError(name, fmt.Sprintf("the files are larger than %d MB", maxUnpacked>>20))
	}
	return nil
}

func (c *checkout) write(into *os.Root, file plannedFile) error {
	if file.mode == filemode.Dir {
		return into.Mkdir(file.name, privateFolder)
	}
	content, err := readBlob(c.from.objects, file.hash)
	if err != nil {
		return err
	}
	if file.mode == filemode.Symlink {
		return into.Symlink(string(content), file.name)
	}
	return into.WriteFile(file.name, content, privateFile)
}

func (c *checkout) newUnsafeError(name, reason string) error {
	op := "keep the files of " + c.from.repo.String()
	return fault.Newf(fault.Invalid, op, "%s: %s", text.Sanitize(name, text.WithLimit(maxRemoteOutput)), reason).
		WithHint("find out who added it to the repository, and remove it")
}

// isSafePath reports whether a path stays in the repository, and outside of the .git folder.
func isSafePath(name string) bool {
	if name == "" || len(name) > maxPath || path.IsAbs(name) || path.Clean(name) != name || strings.Contains(name, `\`) ||
		strings.IndexFunc(name, unicode.IsControl) >= 0 {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if lower := strings.TrimRight(strings.ToLower(part), " ."); lower == "" || lower == ".git" || lower == "git~1" {
			return false
		}
	}
	return true
}

func (s *snapshot) replace(dir string) error {
	tree, err := s.loadTree()
	if err != nil {
		return err
	}
	within, name := filepath.Dir(filepath.Clean(dir)), "."+filepath.Base(dir)+"-"
	if err := removeLeftovers(within, name); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(within, name+"*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(beside) }()
	fresh, old := filepath.Join(beside, "new"), filepath.Join(beside, "old")
	if err := os.Mkdir(fresh, privateFolder); err != nil {
		return err
	}
	if err := s.checkOut(tree, fresh); err != nil {
		return err
	}
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return errors.Join(err, restoreDir(old, dir))
	}
	return nil
}

// removeLeftovers removes what a killed fetch has left behind: a catalog can be fetched again.
func removeLeftovers(within, name string) error {
	entries, err := os.ReadDir(within)
	if err != nil {
		return err
	}
	var failures []error
	for _, entry := range entries {
		number, ours := strings.CutPrefix(entry.Name(), name)
		if ours && entry.IsDir() && number != "" && strings.Trim(number, "0123456789") == "" {
			failures = append(failures, os.RemoveAll(filepath.Join(within, entry.Name())))
		}
	}
	return errors.Join(failures...)
}

func restoreDir(old, dir string) error {
	if err := os.Rename(old, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
