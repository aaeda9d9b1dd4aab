package release

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"exoshift/internal/fileread"

	"github.com/google/renameio/v2"
)

// partialDownload is a partial archive that outlives the process; the next request continues it.
type partialDownload struct {
	path string
	want archive
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

func (e cacheEntry) newPartial(want archive) partialDownload {
	return partialDownload{path: filepath.Join(e.dir, want.name+".part"), want: want}
}

func (p partialDownload) originPath() string { return p.path + ".json" }

// open drops a part of another archive.
func (p partialDownload) open() (*partialFile, error) {
	k := &partialFile{hash: sha256.New(), origin: p.loadOrigin()}
	if k.origin.SHA256 != p.want.sum {
		k.origin = origin{SHA256: p.want.sum}
		if err := p.remove(); err != nil {
			return nil, err
		}
	}
	var err error
	if k.file, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if k.size, err = io.Copy(k.hash, k.file); err != nil {
		return nil, errors.Join(err, k.file.Close())
	}
	return k, nil
}

func (p partialDownload) loadOrigin() (from origin) {
	content, err := fileread.Bytes(p.originPath(), maxList)
	if err != nil || json.Unmarshal(content, &from) != nil {
		return origin{}
	}
	return from
}

func (p partialDownload) saveOrigin(from origin) error {
	content, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return renameio.WriteFile(p.originPath(), append(content, '\n'), 0o600)
}

func (p partialDownload) remove() error {
	for _, path := range []string{p.path, p.originPath()} {
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
