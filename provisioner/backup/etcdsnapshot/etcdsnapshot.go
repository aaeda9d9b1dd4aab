// Package etcdsnapshot reads a snapshot of etcd, as `etcdutl snapshot status` does, by random access: what bbolt itself reads has to be a file,
// and the content of a backup is written to no disk of ours.
package etcdsnapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"exoshift/state/backup"
)

// errChecksum: etcd appends the SHA-256 of the database to it.
var errChecksum = errors.New("its content does not match the checksum at its end")

const (
	// chunk is a multiple of which databases have their sizes, in bytes, as etcd expects it.
	chunk = 512
	// maxPages is of how many pages a key with its value may consist: etcd's own limit for a request is 1.5 MiB.
	maxPages = 1 << 14
	maxDepth = 64
	// revisionLength is the least length of a key in the bucket of keys: main revision, _, sub revision.
	revisionLength = 17
)

// CheckSum compares a snapshot of that size in bytes with the checksum at its end.
func CheckSum(from io.ReaderAt, size int64) error {
	database := size - sha256.Size
	if database <= 0 || database%chunk != 0 {
		return fmt.Errorf("its %d bytes do not end with a checksum", size)
	}
	sum, kept := sha256.New(), make([]byte, sha256.Size)
	if _, err := io.Copy(sum, io.NewSectionReader(from, 0, database)); err != nil {
		return err
	}
	if _, err := from.ReadAt(kept, database); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(kept, sum.Sum(nil)) {
		return errChecksum
	}
	return nil
}

// ReadStatus reads all keys of a snapshot of that size in bytes, whose checksum is not verified.
func ReadStatus(from io.ReaderAt, size int64) (status backup.Status, err error) {
	db, err := openDatabase(from, size)
	if err != nil {
		return status, err
	}
	status.TotalSize = db.pages * db.pageSize
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	err = db.walk(db.root, 0, func(name, bucket []byte, isBucket bool) error {
		if !isBucket {
			return fmt.Errorf("cannot get hash of bucket %q", name)
		}
		_, _ = sum.Write(name) // never fails
		isKeys := string(name) == "key"
		return db.walkBucket(bucket, func(key, value []byte, _ bool) error {
			_, _ = sum.Write(key)
			_, _ = sum.Write(value)
			status.TotalKeys++
			if !isKeys {
				return nil
			}
			if len(key) < revisionLength {
				return errors.New("a key has no revision")
			}
			status.Revision = int64(binary.BigEndian.Uint64(key)) //nolint:gosec // as etcd writes it
			return nil
		})
	})
	status.Hash = sum.Sum32()
	return status, err
}
