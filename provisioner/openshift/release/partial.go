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

// partial is an archive on its way: what has come of it outlives the process, and the next request asks for the rest.
type partial struct {
	path string
	want archive
}

// origin is noted beside a partial archive: of which file it is a part.
type origin struct {
	SHA256 string `json:"sha256"`
	ETag   string `json:"etag,omitempty"` // strong
}

// kept is an open partial archive, at its end.
type kept struct {
	file *os.File
	hash hash.Hash // of what is in the file
	size int64
	from origin
}

func (e entry) partial(want archive) partial {
	return partial{path: filepath.Join(e.dir, want.name+".part"), want: want}
}

func (p partial) originFile() string { return p.path + ".json" }

// open returns what was kept. A part of another archive is dropped.
func (p partial) open() (*kept, error) {
	k := &kept{hash: sha256.New(), from: p.origin()}
	if k.from.SHA256 != p.want.sum {
		k.from = origin{SHA256: p.want.sum}
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

func (p partial) origin() (from origin) {
	content, err := fileread.Bytes(p.originFile(), maxList)
	if err != nil || json.Unmarshal(content, &from) != nil {
		return origin{}
	}
	return from
}

func (p partial) note(from origin) error {
	content, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return renameio.WriteFile(p.originFile(), append(content, '\n'), 0o600)
}

func (p partial) remove() error {
	for _, path := range []string{p.path, p.originFile()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (k *kept) sum() string { return hex.EncodeToString(k.hash.Sum(nil)) }

// restart drops what was kept.
func (k *kept) restart() error {
	k.hash.Reset()
	k.size = 0
	if _, err := k.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return k.file.Truncate(0)
}

// Write appends to what was kept.
func (k *kept) Write(content []byte) (int, error) {
	n, err := k.file.Write(content)
	_, _ = k.hash.Write(content[:n]) // never fails
	k.size += int64(n)
	return n, err
}
