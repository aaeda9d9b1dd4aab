package githost

import (
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// What is read of a commit at most: trees may share what is below them, and grow beyond all bounds.
const (
	fileLimit = 20_000
	sizeLimit = 64 << 20
)

var errTooLarge = errors.New("the commit has too many files, or too large ones")

// filesOf reads all files of a commit.
func filesOf(objects storer.EncodedObjectStorer, commit plumbing.Hash) (map[string][]byte, error) {
	found, err := gitobject.GetCommit(objects, commit)
	if err != nil {
		return nil, err
	}
	tree, err := gitobject.GetTree(objects, found.TreeHash)
	if err != nil {
		return nil, err
	}
	files, size := map[string][]byte{}, 0
	return files, tree.Files().ForEach(func(file *gitobject.File) error {
		blob, err := objects.EncodedObject(plumbing.BlobObject, file.Hash)
		if err != nil {
			return err
		}
		data, err := content(blob)
		files[file.Name] = data
		if size += len(data); size > sizeLimit || len(files) > fileLimit {
			return errTooLarge
		}
		return err
	})
}
