package githost

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"

	"exoshift/internal/stable"
)

const maxAttempts = 5

// newBotSignature signs compiled catalogs and initial commits.
func newBotSignature(at time.Time) gitobject.Signature {
	return gitobject.Signature{Name: "Commodore", Email: "commodore@syn.tools", When: at}
}

// Commit changes files of the default branch and returns the commit. A nil content deletes the file. Without changes there is no
// new commit.
func (s *Repositories) Commit(name, message string, files map[string][]byte) (string, error) {
	for range maxAttempts {
		hash, err := s.commit(name, message, func(all map[string][]byte) {
			maps.Copy(all, files)
			maps.DeleteFunc(all, func(_ string, content []byte) bool { return content == nil })
		})
		if !errors.Is(err, errStale) {
			return hash, err
		}
	}
	return "", fmt.Errorf("commit to %s: %w", name, errStale)
}

func (s *Repositories) commit(name, message string, change func(map[string][]byte)) (string, error) {
	found, ok := s.find(name)
	if !ok {
		return "", fmt.Errorf("commit to %s: %w", name, errNoRepository)
	}
	objects := s.openStorage(found)
	tip, _ := found.findTip()
	files, err := objects.readFiles(tip)
	if err != nil {
		return "", err
	}
	change(files)
	tree, err := objects.writeTree(files)
	if err != nil {
		return "", err
	}
	if before, err := objects.readTreeHash(tip); err == nil && before == tree {
		return tip.String(), nil
	}
	commit, err := objects.writeCommit(tree, tip, message, s.clock.Now())
	if err != nil {
		return "", err
	}
	if err := s.move(found.Path, update{found.headRef(), tip, commit}); err != nil {
		return "", fmt.Errorf("commit to %s: %w", name, err)
	}
	return commit.String(), s.pushed(found.Path, commit)
}

// ReadFiles returns the files of the default branch and its newest commit; none if the repository is empty.
func (s *Repositories) ReadFiles(name string) (map[string][]byte, string, error) {
	found, ok := s.find(name)
	if !ok {
		return nil, "", fmt.Errorf("read %s: %w", name, errNoRepository)
	}
	tip, ok := found.findTip()
	if !ok {
		return map[string][]byte{}, "", nil
	}
	files, err := s.openStorage(found).readFiles(tip)
	return files, tip.String(), err
}

// ReadMessage returns the message of the newest commit; "" if there is none.
func (s *Repositories) ReadMessage(name string) (string, error) {
	found, ok := s.find(name)
	if !ok {
		return "", fmt.Errorf("read %s: %w", name, errNoRepository)
	}
	tip, ok := found.findTip()
	if !ok {
		return "", nil
	}
	commit, err := gitobject.GetCommit(s.openStorage(found), tip)
	if err != nil {
		return "", err
	}
	return commit.Message, nil
}

func (s storage) readTreeHash(commit plumbing.Hash) (plumbing.Hash, error) {
	found, err := gitobject.GetCommit(s, commit)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return found.TreeHash, nil
}

// readFiles returns no files for the zero hash.
func (s storage) readFiles(commit plumbing.Hash) (map[string][]byte, error) {
	if commit.IsZero() {
		return map[string][]byte{}, nil
	}
	return readAllFiles(s, commit)
}

func (s storage) writeTree(files map[string][]byte) (plumbing.Hash, error) {
	below, entries := map[string]map[string][]byte{}, []gitobject.TreeEntry{}
	for name, content := range files {
		if dir, rest, inside := strings.Cut(path.Clean(name), "/"); inside {
			if below[dir] == nil {
				below[dir] = map[string][]byte{}
			}
			below[dir][rest] = content
			continue
		}
		hash, err := s.put(plumbing.BlobObject, content)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		entries = append(entries, gitobject.TreeEntry{Name: name, Mode: filemode.Regular, Hash: hash})
	}
	for _, dir := range slices.Sorted(maps.Keys(below)) {
		hash, err := s.writeTree(below[dir])
		if err != nil {
			return plumbing.ZeroHash, err
		}
		entries = append(entries, gitobject.TreeEntry{Name: dir, Mode: filemode.Dir, Hash: hash})
	}
	stable.Sort(entries, func(a, b gitobject.TreeEntry) int { return strings.Compare(sortKey(a), sortKey(b)) })
	return s.encode(&gitobject.Tree{Entries: entries})
}

// sortKey is Git's sort order of a tree: directories as if they ended with a slash.
func sortKey(entry gitobject.TreeEntry) string {
	if entry.Mode == filemode.Dir {
		return entry.Name + "/"
	}
	return entry.Name
}

func (s storage) writeCommit(tree, parent plumbing.Hash, message string, at time.Time) (plumbing.Hash, error) {
	signature := newBotSignature(at)
	commit := &gitobject.Commit{Author: signature, Committer: signature, Message: message + "\n", TreeHash: tree}
	if !parent.IsZero() {
		commit.ParentHashes = []plumbing.Hash{parent}
	}
	return s.encode(commit)
}

func (s storage) encode(o interface {
	Encode(plumbing.EncodedObject) error
}) (plumbing.Hash, error) {
	encoded := &plumbing.MemoryObject{}
	if err := o.Encode(encoded); err != nil {
		return plumbing.ZeroHash, err
	}
	return s.SetEncodedObject(encoded)
}

func readContent(o plumbing.EncodedObject) ([]byte, error) {
	reader, err := o.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { _ = reader.Close() }()
	var data bytes.Buffer
	_, err = io.Copy(&data, reader)
	return data.Bytes(), err
}
