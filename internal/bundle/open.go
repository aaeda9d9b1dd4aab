package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// topFolder is what all files of an archive are in.
const topFolder = "exoshift-bundle"

// Limits of an archive that is read, beyond those of one that is packed: others may have made it.
const (
	maxFiles = 2000
	maxBytes = 256 << 20 // uncompressed
)

// Unpacked is the content of an archive.
type Unpacked struct {
	Files  map[string][]byte // by their names in the cluster's folder
	Damage error             // why the rest could not be read; nil if the archive is whole
}

// Open reads an archive. One that was cut, or is damaged further on, has the files before that place, and of a file of records those
// before it.
func Open(r io.Reader) (Unpacked, error) {
	u := Unpacked{Files: map[string][]byte{}}
	plain, err := gzip.NewReader(r)
	if err != nil {
		return u, fmt.Errorf("not a support bundle: %w", err)
	}
	content := io.LimitReader(plain, maxBytes)
	u.Damage = u.readFiles(tar.NewReader(content))
	if _, err := io.Copy(io.Discard, content); err != nil && u.Damage == nil { // the checksum is at the end
		u.Damage = fmt.Errorf("the archive is truncated or damaged: %w", err)
	}
	if len(u.Files) == 0 {
		return u, errors.Join(errors.New("not a support bundle: its files are missing"), u.Damage)
	}
	return u, nil
}

func (u Unpacked) readFiles(archive *tar.Reader) error {
	for range maxFiles {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the archive is truncated or damaged: %w", err)
		}
		name, within := strings.CutPrefix(path.Clean(header.Name), topFolder+"/")
		if !within || !fs.ValidPath(name) || header.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			if lines := keepLines(name, content); len(lines) > 0 {
				u.Files[name] = lines
			}
			return fmt.Errorf("the archive is truncated within %s: %w", name, err)
		}
		u.Files[name] = content
	}
	return fmt.Errorf("the archive has more than %d files", maxFiles)
}

// keepLines returns the whole lines of what could be read of a file of records; nil of any other file.
func keepLines(name string, content []byte) []byte {
	if path.Ext(name) != ".jsonl" {
		return nil
	}
	return content[:bytes.LastIndexByte(content, '\n')+1]
}
