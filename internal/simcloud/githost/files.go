package githost

import (
	"github.com/go-git/go-git/v5/plumbing"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

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
	files := map[string][]byte{}
	return files, tree.Files().ForEach(func(file *gitobject.File) error {
		blob, err := objects.EncodedObject(plumbing.BlobObject, file.Hash)
		if err != nil {
			return err
		}
		files[file.Name], err = content(blob)
		return err
	})
}
