package githost

import (
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// Limits on reading a commit: trees may share subtrees, so that the expanded size is unbounded.
const (
	entryLimit = 20_000
	sizeLimit  = 64 << 20
	depthLimit = 50
)

var errTooLarge = errors.New("the commit has too many files, or too large ones")

func readAllFiles(objects storer.EncodedObjectStorer, commit plumbing.Hash) (map[string][]byte, error) {
	found, err := gitobject.GetCommit(objects, commit)
	if err != nil {
		return nil, err
	}
	r := reader{objects: objects, files: map[string][]byte{}}
	return r.files, r.readTree(found.TreeHash, "", depthLimit)
}

type reader struct {
	objects       storer.EncodedObjectStorer
	files         map[string][]byte
	entries, size int
}

func (r *reader) readTree(hash plumbing.Hash, folder string, depth int) error {
	tree, err := gitobject.GetTree(r.objects, hash)
	if err != nil {
		return err
	}
	for _, entry := range tree.Entries {
		if r.entries++; r.entries > entryLimit || depth == 0 {
			return errTooLarge
		}
		switch entry.Mode {
		case filemode.Dir:
			err = r.readTree(entry.Hash, folder+entry.Name+"/", depth-1)
		case filemode.Submodule:
		default:
			err = r.readFile(entry.Hash, folder+entry.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readFile(hash plumbing.Hash, name string) error {
	blob, err := r.objects.EncodedObject(plumbing.BlobObject, hash)
	if err != nil {
		return err
	}
	if r.size += int(blob.Size()); r.size > sizeLimit {
		return errTooLarge
	}
	r.files[name], err = readContent(blob)
	return err
}
