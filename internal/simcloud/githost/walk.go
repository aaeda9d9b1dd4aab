package githost

import (
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

type hashes map[plumbing.Hash]bool

type walk struct {
	objects storer.EncodedObjectStorer
	seen    hashes // visited or excluded
	found   []plumbing.Hash
}

// visitAll visits commits or tags and their ancestors, without the parents of commits in edge.
func (w *walk) visitAll(tips []plumbing.Hash, edge hashes) error {
	todo := slices.Clone(tips)
	for len(todo) > 0 {
		hash := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !w.visit(hash) {
			continue
		}
		below, tree, err := w.readLinks(hash, edge)
		if err != nil {
			return err
		}
		todo = append(todo, below...)
		if !tree.IsZero() {
			if err := w.visitTree(tree); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) visit(hash plumbing.Hash) bool {
	if w.seen[hash] {
		return false
	}
	w.seen[hash] = true
	w.found = append(w.found, hash)
	return true
}

// readLinks returns the parents and the tree of a commit, or the target of a tag.
func (w *walk) readLinks(hash plumbing.Hash, edge hashes) (below []plumbing.Hash, tree plumbing.Hash, err error) {
	if tag, err := gitobject.GetTag(w.objects, hash); err == nil {
		return []plumbing.Hash{tag.Target}, plumbing.ZeroHash, nil
	}
	commit, err := gitobject.GetCommit(w.objects, hash)
	if err != nil {
		return nil, plumbing.ZeroHash, err
	}
	if !edge[hash] {
		below = commit.ParentHashes
	}
	return below, commit.TreeHash, nil
}

func (w *walk) visitTree(root plumbing.Hash) error {
	todo := []plumbing.Hash{root}
	for len(todo) > 0 {
		hash := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !w.visit(hash) {
			continue
		}
		tree, err := gitobject.GetTree(w.objects, hash)
		if err != nil {
			return err
		}
		for _, entry := range tree.Entries {
			switch entry.Mode {
			case filemode.Dir:
				todo = append(todo, entry.Hash)
			case filemode.Submodule:
			default:
				w.visit(entry.Hash)
			}
		}
	}
	return nil
}

// findEdge returns the commits at a depth below tips that have parents: the boundary of a shallow history.
func findEdge(objects storer.EncodedObjectStorer, tips []plumbing.Hash, depth int) (edge hashes, err error) {
	edge, seen, row := hashes{}, hashes{}, tips
	for ; len(row) > 0; depth-- {
		var next []plumbing.Hash
		for _, hash := range row {
			if seen[hash] {
				continue
			}
			seen[hash] = true
			commit, err := gitobject.GetCommit(objects, hash)
			if err != nil {
				return nil, err
			}
			if depth <= 1 && len(commit.ParentHashes) > 0 {
				edge[hash] = true
				continue
			}
			next = append(next, commit.ParentHashes...)
		}
		row = next
	}
	return edge, nil
}
