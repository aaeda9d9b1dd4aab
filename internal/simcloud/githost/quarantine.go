package githost

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
)

const (
	packLimit     = 32 << 20  // bytes as sent
	unpackedLimit = 128 << 20 // bytes of all objects
	objectLimit   = 100_000
)

// Errors of a refused pack, in Git's words.
var (
	errPackSize = errors.New("fatal: pack exceeds maximum allowed size")
	errFsck     = errors.New("fatal: fsck error in packed object")
	errMissing  = errors.New("missing necessary objects")
)

// quarantine holds the objects of a push before they are accepted, layered over those of the repository.
type quarantine struct {
	storage
	fresh map[plumbing.Hash]plumbing.EncodedObject
}

// SetEncodedObject keeps an object in memory.
func (q quarantine) SetEncodedObject(o plumbing.EncodedObject) (plumbing.Hash, error) {
	q.fresh[o.Hash()] = o
	return o.Hash(), nil
}

// EncodedObject returns an object of the push, or of the repository.
func (q quarantine) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	if o, ok := q.fresh[hash]; ok && (kind == plumbing.AnyObject || kind == o.Type()) {
		return o, nil
	}
	return q.storage.EncodedObject(kind, hash)
}

// HasEncodedObject fails with plumbing.ErrObjectNotFound.
func (q quarantine) HasEncodedObject(hash plumbing.Hash) error {
	if _, ok := q.fresh[hash]; ok {
		return nil
	}
	return q.storage.HasEncodedObject(hash)
}

func (s storage) unpack(pack io.Reader) (quarantine, error) {
	q := quarantine{s, map[plumbing.Hash]plumbing.EncodedObject{}}
	data, err := readPack(pack)
	if err != nil {
		return q, err
	}
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(bytes.NewReader(data)), q)
	if err != nil {
		return q, err
	}
	if _, err := parser.Parse(); err != nil {
		return q, err
	}
	for _, o := range q.fresh {
		if err := q.check(o); err != nil {
			return q, err
		}
	}
	return q, nil
}

func (q quarantine) storeObjects() error {
	for _, o := range q.fresh {
		if _, err := q.storage.SetEncodedObject(o); err != nil {
			return err
		}
	}
	return nil
}

// readPack reads a pack to its end, since the client may keep the connection open, and refuses one that would become too large.
func readPack(pack io.Reader) ([]byte, error) {
	var data bytes.Buffer
	scanner := packfile.NewScanner(io.TeeReader(io.LimitReader(pack, packLimit), &data))
	_, count, err := scanner.Header()
	if err != nil {
		return nil, err
	}
	if count > objectLimit {
		return nil, errPackSize
	}
	var total int64
	for range count {
		size, err := nextSize(scanner)
		if err != nil && data.Len() == packLimit {
			err = errPackSize
		}
		if err != nil {
			return nil, err
		}
		if total += size; total > unpackedLimit {
			return nil, errPackSize
		}
	}
	_, err = scanner.Checksum()
	return data.Bytes(), err
}

// nextSize skips an object and returns its size plus that of a delta's result.
func nextSize(scanner *packfile.Scanner) (int64, error) {
	header, err := scanner.NextObjectHeader()
	if err != nil {
		return 0, err
	}
	if header.Length > unpackedLimit {
		return 0, errPackSize
	}
	start := deltaHeader{}
	if _, _, err := scanner.NextObject(&start); err != nil {
		return 0, err
	}
	if header.Type != plumbing.OFSDeltaObject && header.Type != plumbing.REFDeltaObject {
		return header.Length, nil
	}
	return header.Length + start.readTargetSize(), nil
}

type deltaHeader struct{ data []byte }

func (o *deltaHeader) Write(p []byte) (int, error) {
	o.data = append(o.data, p[:min(len(p), 20-len(o.data))]...)
	return len(p), nil
}

// readTargetSize returns the second of the two sizes in a delta's header.
func (o *deltaHeader) readTargetSize() int64 {
	var sizes [2]int64
	data := o.data
	for i := range sizes {
		for shift := 0; len(data) > 0 && shift < 56; shift += 7 {
			part := data[0]
			data = data[1:]
			sizes[i] |= int64(part&0x7f) << shift
			if part < 0x80 {
				break
			}
		}
	}
	return sizes[1]
}

// check refuses an object that is invalid, or refers to a missing one.
func (q quarantine) check(o plumbing.EncodedObject) error {
	switch o.Type() {
	case plumbing.CommitObject:
		commit := &gitobject.Commit{}
		if err := commit.Decode(o); err != nil {
			return fmt.Errorf("%w: %v", errFsck, o.Hash())
		}
		return q.checkPresent(append(commit.ParentHashes, commit.TreeHash)...)
	case plumbing.TreeObject:
		return q.checkTree(o)
	case plumbing.TagObject:
		tag := &gitobject.Tag{}
		if err := tag.Decode(o); err != nil {
			return fmt.Errorf("%w: %v", errFsck, o.Hash())
		}
		return q.checkPresent(tag.Target)
	}
	return nil
}

func (q quarantine) checkTree(o plumbing.EncodedObject) error {
	tree := &gitobject.Tree{}
	if err := tree.Decode(o); err != nil {
		return fmt.Errorf("%w: %v", errFsck, o.Hash())
	}
	for _, entry := range tree.Entries {
		switch name := strings.ToLower(entry.Name); {
		case name == "" || name == "." || name == ".." || name == ".git" || strings.ContainsAny(name, "/\x00"):
			return fmt.Errorf("%w: tree %v contains %q", errFsck, o.Hash(), entry.Name)
		case entry.Mode == filemode.Submodule:
		default:
			if err := q.checkPresent(entry.Hash); err != nil {
				return err
			}
		}
	}
	return nil
}

func (q quarantine) checkPresent(all ...plumbing.Hash) error {
	for _, hash := range all {
		if q.HasEncodedObject(hash) != nil {
			return errMissing
		}
	}
	return nil
}
