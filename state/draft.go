package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/fileread"
	"exoshift/internal/stable"
)

// Names in a draft's folder. The folder of an installation has the second one, too.
const (
	DraftFile  = "draft.yaml" // the answers so far
	SecretsDir = "secrets"    // typed secrets, which must not be in the answers: a file for each field
)

const (
	nameFile  = "name" // what the operator calls a draft
	discarded = ".gone-"
)

// MaxDraftName is the maximum length of a draft's name in bytes.
const MaxDraftName = 60

// The maximum time between the creation of a draft's folder and its lock.
const begins = time.Minute

// Draft is the folder of answers that are no installation yet: 0700, its files 0600, each written atomically.
type Draft struct{ Folder }

// DraftsPath returns where drafts are kept: $XDG_STATE_HOME/exoshift/.drafts, with ~/.local/state in the variable's
// place if it is not set.
func DraftsPath() (string, error) { return DefaultPath(".drafts") }

// NewDraft creates the folder of a draft below dir, and holds its lock until unlock is called.
func NewDraft(ctx context.Context, dir string) (draft Draft, unlock func(), err error) {
	dir, err = filepath.Abs(dir) // the answers refer to files in it
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return Draft{}, nil, fmt.Errorf("make a draft: %w", err)
	}
	for n := 1; ; n++ {
		path := filepath.Join(dir, strconv.Itoa(n))
		err := os.Mkdir(path, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return Draft{}, nil, fmt.Errorf("make a draft: %w", err)
		}
		draft := Draft{Folder{path: path}}
		unlock, err := draft.Lock(ctx)
		return draft, unlock, err
	}
}

// OpenDraft returns the draft in a folder, which is created if it does not exist; it may hold no answers yet.
func OpenDraft(path string) (Draft, error) {
	folder, err := Create(path)
	return Draft{folder}, err
}

// OpenDraftReadOnly returns the draft in a folder for reading, whether or not it exists.
func OpenDraftReadOnly(path string) Draft { return Draft{Folder{path: path}} }

// ListDrafts returns the drafts below dir, the latest first. It removes remains of discarded ones.
func ListDrafts(dir string) ([]Draft, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list drafts: %w", err)
	}
	var drafts []Draft
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch draft := (Draft{Folder{path: path}}); {
		case strings.HasPrefix(entry.Name(), discarded):
			_ = os.RemoveAll(path) // the next call tries again
		case draft.Exists():
			drafts = append(drafts, draft)
		case draft.isAbandoned():
			_ = os.RemoveAll(path)
		}
	}
	stable.Sort(drafts, func(a, b Draft) int { return cmp.Compare(b.Saved().UnixNano(), a.Saved().UnixNano()) })
	return drafts, nil
}

// Exists reports whether there are answers in the folder.
func (d Draft) Exists() bool {
	info, err := os.Stat(d.Path(DraftFile))
	return err == nil && info.Mode().IsRegular()
}

func (d Draft) isAbandoned() bool {
	info, err := os.Stat(d.path)
	return err == nil && info.IsDir() && time.Since(info.ModTime()) > begins && !d.IsLocked()
}

// Saved returns when the answers were saved last; the zero time if there are none.
func (d Draft) Saved() time.Time {
	info, err := os.Stat(d.Path(DraftFile))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Name returns what the operator calls the draft, or "" for none. It is for display only.
func (d Draft) Name() string {
	content, err := fileread.Bytes(d.Path(nameFile), MaxDraftName+1)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// Rename gives the draft a name, "" for none. Its folder stays where it is: the answers refer to files in it.
func (d Draft) Rename(name string) error {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return d.Remove(nameFile)
	case len(name) > MaxDraftName:
		return fmt.Errorf("rename a draft: the name is longer than %d bytes", MaxDraftName)
	}
	return d.Write(nameFile, []byte(name+"\n"))
}

// Save replaces the answers.
func (d Draft) Save(answers []byte) error { return d.Write(DraftFile, answers) }

// ReadAnswers returns what was saved last, or fs.ErrNotExist.
func (d Draft) ReadAnswers() ([]byte, error) { return d.Read(DraftFile) }

// CopySecrets copies the used secrets of the draft into the folder of an installation and returns the new path of each;
// paths in used that are not the draft's are ignored. A failure in between changes nothing of the draft: it is complete
// until it is discarded.
func (d Draft) CopySecrets(to Folder, used []string) (moved map[string]string, err error) {
	moved = map[string]string{}
	if d.path == to.path {
		return moved, nil
	}
	entries, err := os.ReadDir(d.Path(SecretsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("hand over the secrets of a draft: %w", err)
	}
	for _, entry := range entries {
		from := filepath.Join(SecretsDir, entry.Name())
		if !slices.Contains(used, d.Path(from)) {
			continue // it was typed, and then replaced by another answer
		}
		secret, err := d.Read(from)
		if err == nil {
			moved[d.Path(from)], err = to.KeepSecret(entry.Name(), string(secret))
		}
		if err != nil {
			return nil, fmt.Errorf("hand over the secrets of a draft: %w", err)
		}
	}
	return moved, nil
}

// Discard removes the draft, whose lock must not be held any more. The draft in an installation's own folder leaves the folder there.
func (d Draft) Discard(installation Folder) error {
	if d.path == installation.path {
		if err := os.Remove(d.Path(DraftFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("discard a draft: %w", err)
		}
		return nil
	}
	// Under its new name it is no draft any more, even if this process is killed.
	gone := filepath.Join(filepath.Dir(d.path), discarded+filepath.Base(d.path))
	if err := errors.Join(os.RemoveAll(gone), os.Rename(d.path, gone)); err != nil {
		return fmt.Errorf("discard a draft: %w", err)
	}
	if err := os.RemoveAll(gone); err != nil {
		return fmt.Errorf("discard a draft: %w", err)
	}
	return nil
}
