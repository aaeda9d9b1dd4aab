package catalog

import (
	"fmt"
	"os"
	"path"
	"strings"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"exoshift/internal/fault"
)

const (
	privateFolder = 0o700
	privateFile   = 0o600
	mostEntries   = 20_000 // files and folders
	mostDepth     = 30     // folders in one another
	mostPath      = 1000   // bytes
)

// checkout writes the files of a commit into a folder that they cannot leave.
type checkout struct {
	from    *snapshot
	into    *os.Root
	entries int
}

func (s *snapshot) checkOut(tree *object.Tree, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return (&checkout{from: s, into: root}).folder(tree, "", 0)
}

func (c *checkout) folder(tree *object.Tree, name string, depth int) error {
	if depth > mostDepth {
		return c.refused(name, "too many folders in one another")
	}
	seen := map[string]string{}
	for _, entry := range tree.Entries {
		below := path.Join(name, entry.Name)
		if other, taken := seen[fold(entry.Name)]; taken {
			return c.refused(below, fmt.Sprintf("it differs from %q in upper and lower case only", other))
		}
		seen[fold(entry.Name)] = entry.Name
		if c.entries++; c.entries > mostEntries {
			return c.refused(below, fmt.Sprintf("there are more than %d files", mostEntries))
		}
		if !proper(below) || strings.Contains(entry.Name, "/") {
			return c.refused(below, "a file of that name is not safe")
		}
		if err := c.entry(entry, below, depth); err != nil {
			return err
		}
	}
	return nil
}

// fold makes names alike that are one on a file system which knows no case.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }

func (c *checkout) entry(entry object.TreeEntry, name string, depth int) error {
	switch entry.Mode {
	case filemode.Dir:
		if err := c.into.Mkdir(name, privateFolder); err != nil {
			return err
		}
		tree, err := object.GetTree(c.from.objects, entry.Hash)
		if err != nil {
			return err
		}
		return c.folder(tree, name, depth+1)
	case filemode.Regular, filemode.Executable, filemode.Deprecated:
		content, err := blob(c.from.objects, entry.Hash)
		if err != nil {
			return err
		}
		return c.into.WriteFile(name, content, privateFile)
	case filemode.Symlink:
		return c.link(entry, name)
	}
	return c.refused(name, "it is neither a file nor a folder")
}

// link makes a link that leads to something below its own folder. One that goes up could leave the folder by way of
// another link.
func (c *checkout) link(entry object.TreeEntry, name string) error {
	target, err := blob(c.from.objects, entry.Hash)
	if err != nil {
		return err
	}
	if !proper(string(target)) {
		return c.refused(name, "it is a link that may lead out of the repository")
	}
	return c.into.Symlink(string(target), name)
}

func (c *checkout) refused(name, reason string) error {
	op := "keep the files of " + c.from.place.String()
	return fault.Newf(fault.Invalid, op, "%s: %s", shorten(printable(name), mostRemark), reason).
		WithHint("find out who put that into the repository, and take it out")
}

// proper tells whether a path in a repository stays in it, and away from Git's own folder.
func proper(name string) bool {
	if name == "" || len(name) > mostPath || path.IsAbs(name) || path.Clean(name) != name || strings.Contains(name, `\`) ||
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
