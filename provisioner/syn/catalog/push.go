package catalog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/memory"

	"exoshift/internal/fault"
)

// raceError is a commit that may not have been pushed, because another one was first or because the connection broke: the
// branch's current commit shows which.
type raceError struct{ cause error }

func (o raceError) Error() string { return "there may have been a concurrent push: " + o.cause.Error() }
func (o raceError) Unwrap() error { return o.cause }

var errBranchMoved = errors.New("the branch has another commit")

func (o raceError) toFault(ctx context.Context, file string, p repoURL) error {
	op := "change " + file
	if errors.Is(o.cause, errBranchMoved) || isNonFastForward(o.cause.Error()) {
		return fault.Newf(fault.Transient, op, "concurrent pushes, %d times", maxPushes).
			WithHint("try again once no one else pushes to %s", p)
	}
	return fault.Newf(fault.Transient, op, "after %d attempts it is not known whether it has arrived: %w", maxPushes, toFault(ctx, "push", p, o.cause)).
		WithHint("check whether %s accepts changes, then run again: nothing is committed twice", p.host)
}

func (s *snapshot) createCommit(file string, content []byte, author object.Signature, message string) (plumbing.Hash, error) {
	tree, err := s.loadTree()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	root, err := s.withFile(tree, strings.Split(file, "/"), content)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return storeObject(s.objects, &object.Commit{
		Author: author, Committer: author, Message: strings.TrimSpace(message) + "\n", TreeHash: root, ParentHashes: []plumbing.Hash{s.head},
	})
}

// withFile stores a copy of a tree, which may be nil, with the file replaced.
func (s *snapshot) withFile(tree *object.Tree, path []string, content []byte) (hash plumbing.Hash, err error) {
	entry, others := object.TreeEntry{Name: path[0], Mode: filemode.Regular}, []object.TreeEntry{}
	if tree != nil {
		for _, existing := range tree.Entries {
			if existing.Name == path[0] {
				entry = existing
			} else {
				others = append(others, existing)
			}
		}
	}
	if len(path) == 1 {
		entry.Hash, err = storeObject(s.objects, fileContent{content})
	} else {
		var below *object.Tree
		if !entry.Hash.IsZero() {
			if below, err = object.GetTree(s.objects, entry.Hash); err != nil {
				return plumbing.ZeroHash, err
			}
		}
		entry.Mode = filemode.Dir
		entry.Hash, err = s.withFile(below, path[1:], content)
	}
	if err != nil {
		return plumbing.ZeroHash, err
	}
	changed := &object.Tree{Entries: append(others, entry)}
	sort.Sort(object.TreeEntrySorter(changed.Entries))
	return storeObject(s.objects, changed)
}

type fileContent struct{ content []byte }

// Encode writes the file to an object.
func (c fileContent) Encode(o plumbing.EncodedObject) error {
	o.SetType(plumbing.BlobObject)
	writer, err := o.Writer()
	if err != nil {
		return err
	}
	if _, err := writer.Write(c.content); err != nil {
		return err
	}
	return writer.Close()
}

func storeObject(objects *memory.Storage, o interface {
	Encode(plumbing.EncodedObject) error
}) (plumbing.Hash, error) {
	encoded := objects.NewEncodedObject()
	if err := o.Encode(encoded); err != nil {
		return plumbing.ZeroHash, err
	}
	return objects.SetEncodedObject(encoded)
}

// push succeeds only if the branch's newest commit still is that of the snapshot.
func (s *snapshot) push(ctx context.Context, commit plumbing.Hash) error {
	op := "push to " + s.repo.String()
	if err := s.checkBranch(op); err != nil {
		return err
	}
	session, err := s.transport.NewReceivePackSession(s.repo.toEndpoint(), s.auth)
	if err != nil {
		return toFault(ctx, op, s.repo, err)
	}
	defer func() { _ = session.Close() }()
	refs, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return toFault(ctx, op, s.repo, err)
	}
	if refs.References[s.branch.String()] != s.head {
		return raceError{errBranchMoved}
	}
	return sendPack(ctx, op, session, refs.Capabilities, s, commit)
}

func sendPack(ctx context.Context, op string, session transport.ReceivePackSession, able *capability.List, base *snapshot, commit plumbing.Hash) error {
	pack, err := base.encodePack(commit)
	if err != nil {
		return fault.New(fault.Internal, op, err)
	}
	remote := &remoteOutput{}
	request := packp.NewReferenceUpdateRequestFromCapabilities(able)
	request.Commands = []*packp.Command{{Name: base.branch, Old: base.head, New: commit}}
	request.Packfile, request.Progress = io.NopCloser(pack), remote
	if able.Supports(capability.Sideband64k) {
		if err := request.Capabilities.Set(capability.Sideband64k); err != nil {
			return fault.New(fault.Internal, op, err)
		}
	}
	report, err := session.ReceivePack(ctx, request)
	return toPushError(ctx, op, base.repo, report, err, remote.String())
}

// encodePack contains the objects that the commit has and its parent lacks.
func (s *snapshot) encodePack(commit plumbing.Hash) (*bytes.Buffer, error) {
	made, err := s.listNewObjects(commit)
	if err != nil {
		return nil, err
	}
	pack := &bytes.Buffer{}
	_, err = packfile.NewEncoder(pack, s.objects, false).Encode(made, 0)
	return pack, err
}

// listNewObjects returns the commit with its trees and the file that differ from its parent's.
func (s *snapshot) listNewObjects(hash plumbing.Hash) ([]plumbing.Hash, error) {
	commit, err := object.GetCommit(s.objects, hash)
	if err != nil {
		return nil, err
	}
	after, err := commit.Tree()
	if err != nil {
		return nil, err
	}
	before, err := s.loadTree()
	if err != nil {
		return nil, err
	}
	made := []plumbing.Hash{hash}
	for after != nil {
		made = append(made, after.Hash)
		entry := diffTrees(before, after)
		if entry.Mode != filemode.Dir {
			return append(made, entry.Hash), nil
		}
		old := before
		before = nil
		if old != nil {
			before, _ = old.Tree(entry.Name) // may be missing
		}
		if after, err = after.Tree(entry.Name); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func diffTrees(before, after *object.Tree) object.TreeEntry {
	known := map[object.TreeEntry]bool{}
	if before != nil {
		for _, entry := range before.Entries {
			known[entry] = true
		}
	}
	for _, entry := range after.Entries {
		if !known[entry] {
			return entry
		}
	}
	return object.TreeEntry{}
}
