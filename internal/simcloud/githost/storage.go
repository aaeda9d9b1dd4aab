package githost

import (
	"errors"
	"strconv"

	"exoshift/internal/simcloud/store"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

type object struct {
	Type plumbing.ObjectType
	Data []byte
}

// storage implements go-git's storer for the objects of one repository.
type storage struct {
	table *store.Table[object]
	owner int
}

var errUnsupported = errors.New("not supported by this storage")

func (s storage) key(hash plumbing.Hash) string { return strconv.Itoa(s.owner) + "/" + hash.String() }

func (s storage) put(kind plumbing.ObjectType, data []byte) (plumbing.Hash, error) {
	hash := plumbing.ComputeHash(kind, data)
	if s.HasEncodedObject(hash) == nil {
		return hash, nil
	}
	return hash, s.table.Put(s.key(hash), object{kind, data})
}

// NewEncodedObject implements storer.EncodedObjectStorer, like the following methods.
func (s storage) NewEncodedObject() plumbing.EncodedObject { return &plumbing.MemoryObject{} }

// SetEncodedObject stores an object.
func (s storage) SetEncodedObject(o plumbing.EncodedObject) (plumbing.Hash, error) {
	data, err := readContent(o)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return s.put(o.Type(), data)
}

// EncodedObject returns an object.
func (s storage) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	found, ok := s.table.Get(s.key(hash))
	if !ok || kind != plumbing.AnyObject && kind != found.Type {
		return nil, plumbing.ErrObjectNotFound
	}
	o := &plumbing.MemoryObject{}
	o.SetType(found.Type)
	_, err := o.Write(found.Data)
	return o, err
}

// IterEncodedObjects is not needed: all objects are read by hash.
func (s storage) IterEncodedObjects(plumbing.ObjectType) (storer.EncodedObjectIter, error) {
	return nil, errUnsupported
}

// HasEncodedObject fails with plumbing.ErrObjectNotFound.
func (s storage) HasEncodedObject(hash plumbing.Hash) error {
	if _, ok := s.table.Get(s.key(hash)); !ok {
		return plumbing.ErrObjectNotFound
	}
	return nil
}

// EncodedObjectSize returns the size of an object.
func (s storage) EncodedObjectSize(hash plumbing.Hash) (int64, error) {
	found, ok := s.table.Get(s.key(hash))
	if !ok {
		return 0, plumbing.ErrObjectNotFound
	}
	return int64(len(found.Data)), nil
}

// AddAlternate is not needed.
func (s storage) AddAlternate(string) error { return errUnsupported }
