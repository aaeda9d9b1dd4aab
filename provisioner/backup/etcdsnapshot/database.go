package etcdsnapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// The format of bbolt's files, version 2 (go.etcd.io/bbolt/internal/common): pages that begin with a header, the first of which describes the
// database. Numbers are in the order of bytes of the machine that wrote them, which is little endian for OpenShift.
const (
	magic   = 0xED0CDAED
	version = 2

	headerSize  = 16 // id 8, flags 2, count 2, overflow 4
	elementSize = 16 // of a leaf: flags 4, pos 4, ksize 4, vsize 4; of a branch: pos 4, ksize 4, page 8
	bucketSize  = 16 // root page 8, sequence 8

	flagBranch = 0x01
	flagLeaf   = 0x02
	flagMeta   = 0x04
	flagBucket = 0x01 // of the element of a leaf

	metaSize     = 64
	metaChecksum = 56 // where the checksum of what is before it begins
)

var errDamaged = errors.New("it is no database of etcd, or damaged")

// database is that of a snapshot.
type database struct {
	from     io.ReaderAt
	pageSize int64
	pages    int64
	root     uint64
	read     int64 // pages so far: none is read twice
}

func openDatabase(from io.ReaderAt, size int64) (*database, error) {
	meta := make([]byte, headerSize+metaSize)
	if _, err := from.ReadAt(meta, 0); err != nil {
		return nil, fmt.Errorf("read its first page: %w", err)
	}
	flags, fields := binary.LittleEndian.Uint16(meta[8:]), meta[headerSize:]
	sum := fnv.New64a()
	_, _ = sum.Write(fields[:metaChecksum]) // never fails
	if flags&flagMeta == 0 || binary.LittleEndian.Uint32(fields) != magic || binary.LittleEndian.Uint32(fields[4:]) != version ||
		binary.LittleEndian.Uint64(fields[metaChecksum:]) != sum.Sum64() {
		return nil, errDamaged
	}
	db := &database{from: from, pageSize: int64(binary.LittleEndian.Uint32(fields[8:])), root: binary.LittleEndian.Uint64(fields[16:])}
	pages := binary.LittleEndian.Uint64(fields[40:])
	if db.pageSize < chunk || db.pageSize > 1<<16 || pages < 2 || pages > uint64(size/db.pageSize) { //nolint:gosec // no size is negative
		return nil, errDamaged
	}
	db.pages = int64(pages) //nolint:gosec // it is less than a size
	return db, nil
}

// readPage returns a page with those that it continues on.
func (db *database) readPage(id uint64) ([]byte, error) {
	if id < 2 || id >= uint64(db.pages) { //nolint:gosec // they are a count
		return nil, errDamaged
	}
	at, header := int64(id)*db.pageSize, make([]byte, headerSize) //nolint:gosec // it is less than the count
	if _, err := db.from.ReadAt(header, at); err != nil {
		return nil, err
	}
	count := 1 + int64(binary.LittleEndian.Uint32(header[12:]))
	if db.read += count; count > maxPages || int64(id)+count > db.pages || db.read > db.pages { //nolint:gosec // as above
		return nil, errDamaged
	}
	page := make([]byte, count*db.pageSize)
	if _, err := db.from.ReadAt(page, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return page, nil
}

type visit func(key, value []byte, isBucket bool) error

// walk visits what a page and those below it have, in the order of the keys.
func (db *database) walk(id uint64, depth int, do visit) error {
	if depth > maxDepth {
		return errDamaged
	}
	page, err := db.readPage(id)
	if err != nil {
		return err
	}
	return db.walkPage(page, depth, do)
}

func (db *database) walkPage(page []byte, depth int, do visit) error {
	if len(page) < headerSize {
		return errDamaged
	}
	flags, count := binary.LittleEndian.Uint16(page[8:]), int(binary.LittleEndian.Uint16(page[10:]))
	if len(page) < headerSize+count*elementSize {
		return errDamaged
	}
	for i := range count {
		at := headerSize + i*elementSize
		element := page[at:]
		switch {
		case flags&flagBranch != 0:
			if err := db.walk(binary.LittleEndian.Uint64(element[8:]), depth+1, do); err != nil {
				return err
			}
		case flags&flagLeaf != 0:
			key, value, err := cutElement(element)
			if err == nil {
				err = do(key, value, binary.LittleEndian.Uint32(element)&flagBucket != 0)
			}
			if err != nil {
				return err
			}
		default:
			return errDamaged
		}
	}
	return nil
}

// cutElement returns the key and the value of the element of a leaf at the beginning of content.
func cutElement(content []byte) (key, value []byte, err error) {
	begin := uint64(binary.LittleEndian.Uint32(content[4:]))
	middle := begin + uint64(binary.LittleEndian.Uint32(content[8:]))
	end := middle + uint64(binary.LittleEndian.Uint32(content[12:]))
	if end > uint64(len(content)) {
		return nil, nil, errDamaged
	}
	return content[begin:middle], content[middle:end], nil
}

// walkBucket visits what a bucket has, by the value that describes it: a small bucket is within that.
func (db *database) walkBucket(described []byte, do visit) error {
	if len(described) < bucketSize {
		return errDamaged
	}
	if root := binary.LittleEndian.Uint64(described); root != 0 {
		return db.walk(root, 1, do)
	}
	return db.walkPage(described[bucketSize:], 1, do)
}
