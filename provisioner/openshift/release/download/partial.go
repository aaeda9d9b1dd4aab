package download

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"

	"exoshift/internal/fileread"

	"github.com/google/renameio/v2"
)

// Partial is a download that outlives the process: the next one continues it.
type Partial struct {
	Path   string // of the file
	URL    string
	SHA256 string // of the whole, in hex
}

// origin is saved beside a partial archive: of which file it is a part.
type origin struct {
	SHA256 string `json:"sha256"`
	ETag   string `json:"etag,omitempty"` // strong
}

type partialFile struct {
	file   *os.File
	hash   hash.Hash // of the file's content
	size   int64
	origin origin
}

func (p Partial) originPath() string { return p.Path + ".json" }

// open drops a part of another archive.
func (p Partial) open() (*partialFile, error) {
	k := &partialFile{hash: sha256.New(), origin: p.loadOrigin()}
	if k.origin.SHA256 != p.SHA256 {
		k.origin = origin{SHA256: p.SHA256}
		if err := p.Remove(); err != nil {
			return nil, err
		}
	}
	err := fileread.CheckPath(p.Path)
	if err != nil {
		return nil, err
	}
	if k.file, err = os.OpenFile(p.Path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if k.size, err = io.Copy(k.hash, k.file); err != nil {
		return nil, errors.Join(err, k.file.Close())
	}
	return k, nil
}

func (p Partial) loadOrigin() (from origin) {
	content, err := fileread.Bytes(p.originPath(), MaxList)
	if err != nil || json.Unmarshal(content, &from) != nil {
		return origin{}
	}
	return from
}

func (p Partial) saveOrigin(from origin) error {
	content, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return renameio.WriteFile(p.originPath(), append(content, '\n'), 0o600)
}

// Remove deletes the file and the note of what it is a part of.
func (p Partial) Remove() error {
	for _, path := range []string{p.Path, p.originPath()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (k *partialFile) formatSum() string { return hex.EncodeToString(k.hash.Sum(nil)) }

func (k *partialFile) reset() error {
	k.hash.Reset()
	k.size = 0
	if _, err := k.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return k.file.Truncate(0)
}

// Write appends to the partial archive.
func (k *partialFile) Write(content []byte) (int, error) {
	n, err := k.file.Write(content)
	_, _ = k.hash.Write(content[:n]) // never fails
	k.size += int64(n)
	return n, err
}
