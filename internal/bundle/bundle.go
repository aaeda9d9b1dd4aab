// Package bundle packs a cluster's folder for support: records and diagnostics, redacted. Files that hold secrets are read, to
// know what must not be in the archive, but never packed.
package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"exoshift/internal/redact"
	"exoshift/state"
)

// limits are in bytes of uncompressed content.
type limits struct{ file, all int }

func defaultLimits() limits { return limits{file: 16 << 20, all: 64 << 20} }

// Bundle is an archive that can be shared, and a description of its contents.
type Bundle struct {
	Files    []File            `json:"files"`
	Omitted  []string          `json:"left,omitempty"`    // files that exceeded the limit
	Replaced []Replaced        `json:"replaced"`          // by kind
	Program  string            `json:"program,omitempty"` // that packed it, and its system
	Packed   time.Time         `json:"packed,omitzero"`
	Meanings map[string]string `json:"-"` // of the tokens of identities; not for the recipient
	Archive  []byte            `json:"-"` // tar, compressed with gzip

	records map[string][]byte // files that carry checksums, before values were replaced
}

// Origin is what a bundle has beside the folder's files.
type Origin struct {
	Program string // that packs it, and its system
	Packed  time.Time
	Summary []byte // Markdown, not redacted yet; empty: none
}

// SummaryFile is the first file of an archive, for people.
const SummaryFile = "summary.md"

// File describes a file of a bundle.
type File struct {
	Name       string `json:"name"`
	Bytes      int    `json:"bytes"`
	SHA256     string `json:"sha256"`
	Truncated  int    `json:"cut,omitempty"` // bytes omitted at its beginning
	Secrets    int    `json:"secrets"`       // replaced occurrences
	Identities int    `json:"identities"`
}

// Replaced counts the replacements of one kind.
type Replaced struct {
	Kind   redact.Kind `json:"kind"`
	Values int         `json:"values"` // distinct ones
	Places int         `json:"places"`
}

// Pack packs a folder, and a summary that people read first. The redactor must already know the identities; secrets are collected from the folder. The same folder
// at the same time results in the same archive, byte for byte.
func Pack(folder state.Folder, origin Origin, redactor *redact.Redactor) (Bundle, error) {
	b := Bundle{Program: origin.Program, Packed: origin.Packed, records: map[string][]byte{}}
	root, err := os.OpenRoot(folder.Path()) // links cannot leave it
	if err != nil {
		return b, fmt.Errorf("pack %s: %w", folder.Path(), err)
	}
	defer func() { _ = root.Close() }()
	names, err := listFiles(folder, root.FS())
	if err != nil {
		return b, fmt.Errorf("pack %s: %w", folder.Path(), err)
	}
	if err := collectSecrets(root.FS(), names, redactor); err != nil {
		return b, fmt.Errorf("look for the secrets of %s: %w", folder.Path(), err)
	}
	if len(origin.Summary) > 0 {
		redactor.Add(SummaryFile, origin.Summary)
		b.Files = append(b.Files, File{})
	}
	if err := b.read(root.FS(), names, defaultLimits(), redactor); err != nil {
		return b, fmt.Errorf("pack %s: %w", folder.Path(), err)
	}
	return b, b.pack(redactor)
}

func (b *Bundle) read(folder fs.FS, names []string, room limits, redactor *redact.Redactor) error {
	for _, name := range names {
		content, cut, err := readTail(folder, name, room.file)
		if err != nil {
			return err
		}
		if len(content) > room.all {
			b.Omitted = append(b.Omitted, name)
			continue
		}
		room.all -= len(content)
		redactor.Add(name, content)
		if name == state.FactsFile || name == state.JournalFile {
			b.records[name] = content
		}
		b.Files = append(b.Files, File{Truncated: cut})
	}
	return nil
}

func (b *Bundle) pack(redactor *redact.Redactor) error {
	var out bytes.Buffer
	archive := newArchive(&out)
	n := 0
	err := redactor.ForEach(func(name string, content []byte) error {
		if record, has := b.records[name]; has {
			content = state.RestoreChecksums(record, content) // else whoever opens the archive would find them damaged
		}
		sum := sha256.Sum256(content)
		b.Files[n].Name, b.Files[n].Bytes, b.Files[n].SHA256 = name, len(content), hex.EncodeToString(sum[:])
		n++
		return archive.add(name, content)
	})
	if err != nil {
		return err
	}
	b.count(redactor)
	contents, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		return err
	}
	if err := archive.add("bundle.json", append(contents, '\n')); err != nil {
		return err
	}
	err = archive.close()
	b.Archive = out.Bytes()
	return err
}

func (b *Bundle) count(redactor *redact.Redactor) {
	b.Meanings, b.Replaced = redactor.Meanings(), []Replaced{}
	places := map[redact.Kind]int{}
	for n, tally := range redactor.FileCounts() {
		b.Files[n].Secrets, b.Files[n].Identities = tally.Count(true), tally.Count(false)
		for kind, count := range tally.Counts {
			places[kind] += count
		}
	}
	for _, kind := range redact.ListKinds() {
		if places[kind] > 0 {
			b.Replaced = append(b.Replaced, Replaced{kind, redactor.CountValues(kind), places[kind]})
		}
	}
}

func readTail(folder fs.FS, name string, room int) (content []byte, cut int, err error) {
	file, err := folder.Open(path.Clean(name))
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	if cut = int(max(0, info.Size()-int64(room))); cut > 0 {
		if err := skip(file, cut); err != nil {
			return nil, 0, err
		}
	}
	content, err = io.ReadAll(io.LimitReader(file, int64(room)))
	if err != nil || cut == 0 {
		return content, 0, err
	}
	// A partial line may hold part of a secret, which would not be recognized.
	torn := bytes.IndexByte(content, '\n') + 1
	if torn == 0 {
		torn = len(content)
	}
	return content[torn:], cut + torn, nil
}

func skip(file fs.File, by int) error {
	seeker, ok := file.(io.Seeker)
	if !ok {
		return errors.New("it is too large")
	}
	_, err := seeker.Seek(int64(by), io.SeekStart)
	return err
}
