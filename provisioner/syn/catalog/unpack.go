package catalog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/memory"
)

const (
	maxObjects  = 100_000
	maxUnpacked = 256 << 20 // bytes of all objects together
)

// unpack checks the unpacked size first.
func unpack(objects *memory.Storage, pack io.Reader) error {
	content, err := io.ReadAll(&limitedReader{from: pack, left: maxPack})
	if err != nil {
		return err
	}
	if err := checkPackSize(content); err != nil {
		return err
	}
	return packfile.UpdateObjectStorage(objects, bytes.NewReader(content))
}

func checkPackSize(pack []byte) error {
	scanner := packfile.NewScanner(bytes.NewReader(pack))
	_, count, err := scanner.Header()
	if err != nil {
		return err
	}
	if count > maxObjects {
		return fmt.Errorf("the newest commit has %d objects, more than the limit of %d", count, maxObjects)
	}
	total := int64(0)
	for range count {
		size, err := readObjectSize(scanner)
		if err != nil {
			return err
		}
		if total += size; size < 0 || total > maxUnpacked {
			return fmt.Errorf("the newest commit has more than %d MB", maxUnpacked>>20)
		}
	}
	return nil
}

// readObjectSize returns the unpacked size of an object. That of a delta is encoded at its beginning.
func readObjectSize(scanner *packfile.Scanner) (int64, error) {
	header, err := scanner.NextObjectHeader()
	if err != nil {
		return 0, err
	}
	if header.Type != plumbing.OFSDeltaObject && header.Type != plumbing.REFDeltaObject {
		return header.Length, nil
	}
	var start prefixBuffer
	if _, _, err := scanner.NextObject(&start); err != nil {
		return 0, err
	}
	_, n := binary.Uvarint(start.bytes) // of the delta's base
	if n <= 0 {
		return 0, errors.New("the pack is damaged")
	}
	size, n := binary.Uvarint(start.bytes[n:])
	if n <= 0 || size > maxUnpacked {
		return maxUnpacked + 1, nil
	}
	return header.Length + int64(size), nil
}

type prefixBuffer struct{ bytes []byte }

func (p *prefixBuffer) Write(b []byte) (int, error) {
	p.bytes = append(p.bytes, b[:min(len(b), 2*binary.MaxVarintLen64-len(p.bytes))]...)
	return len(b), nil
}
