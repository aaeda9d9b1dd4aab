package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// entry is the place of one program in the cache: the program, a note that it is whole, a lock, and an archive on its
// way.
type entry struct{ dir string }

// entryNote is written last. A program without its note, or of another checksum, is not used.
type entryNote struct {
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // of the program
}

func (e entry) program() string { return filepath.Join(e.dir, programName) }
func (e entry) note() string    { return filepath.Join(e.dir, "note.json") }
func (e entry) lock() string    { return filepath.Join(e.dir, "lock") }

// check returns nil if the program is what was unpacked there, and fs.ErrNotExist if nothing is there.
func (e entry) check(version string) error {
	content, err := os.ReadFile(e.note())
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(e.program()); err == nil {
			return errors.New("its note is missing")
		}
		return fs.ErrNotExist
	}
	if err != nil {
		return err
	}
	var note entryNote
	if err := json.Unmarshal(content, &note); err != nil {
		return fmt.Errorf("its note: %w", err)
	}
	sum, err := fileSum(e.program())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("the program is missing")
	case err != nil:
		return err
	case note.Version != version || note.SHA256 != sum:
		return errors.New("it is not what was unpacked there")
	}
	return nil
}

// forget removes the program, its note first, and what was half unpacked when a run was killed.
func (e entry) forget() error {
	unfinished, err := fs.Glob(os.DirFS(e.dir), ".*")
	if err != nil {
		return err
	}
	for _, name := range append([]string{filepath.Base(e.note()), programName}, unfinished...) {
		if err := os.Remove(filepath.Join(e.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (e entry) keep(note entryNote) error {
	content, err := json.Marshal(note)
	if err != nil {
		return err
	}
	return renameio.WriteFile(e.note(), append(content, '\n'), 0o600)
}

// cached returns what the program of an entry says it is, after it was downloaded if it is not there or damaged.
func (i *Installer) cached(ctx context.Context, e entry, p publication, progress func(string)) (state.Release, error) {
	switch err := e.check(p.version); {
	case errors.Is(err, fs.ErrNotExist):
		return i.fill(ctx, e, p, progress)
	case err != nil:
		i.log(fmt.Sprintf("%s in %s is damaged (%v); fetching it again", p.name(), e.dir, err))
		return i.fill(ctx, e, p, progress)
	}
	return i.askFor(ctx, e, p)
}

// fill downloads the program, and notes it once it has said itself that it is what it was fetched for.
func (i *Installer) fill(ctx context.Context, e entry, p publication, progress func(string)) (state.Release, error) {
	op := "keep " + p.name()
	if err := e.forget(); err != nil {
		return state.Release{}, fault.New(fault.Internal, op, err)
	}
	sum, err := i.install(ctx, e, p, progress)
	if err != nil {
		return state.Release{}, err
	}
	release, err := i.askFor(ctx, e, p)
	if err != nil {
		return state.Release{}, errors.Join(err, e.forget())
	}
	err = e.keep(entryNote{Version: p.version, SHA256: sum})
	if err != nil {
		return state.Release{}, fault.New(fault.Internal, op, err)
	}
	return release, nil
}

// askFor makes sure that the program is of the wanted version.
func (i *Installer) askFor(ctx context.Context, e entry, p publication) (state.Release, error) {
	release, err := i.ask(ctx, e.program())
	if err != nil {
		return state.Release{}, err
	}
	if release.Version != p.version {
		return state.Release{}, fault.Newf(fault.Conflict, "check "+e.program(), "it says that it is version %s, not %s", release.Version, p.version).
			WithHint("delete %s and run again", e.dir)
	}
	return release, nil
}

// lock keeps others from filling the same entry, and waits for one who does.
func (i *Installer) lock(ctx context.Context, e entry, p publication, progress func(string)) (unlock func(), err error) {
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		return nil, fault.New(fault.Internal, "make room for "+p.name(), err).WithHint("check the permissions of this folder")
	}
	lock := flock.New(e.lock(), flock.SetPermissions(0o600))
	for waiting := false; ; waiting = true {
		locked, err := lock.TryLock()
		if err != nil {
			return nil, fault.New(fault.Internal, "lock "+e.lock(), err)
		}
		if locked {
			return func() { _ = lock.Unlock() }, nil
		}
		if !waiting {
			text := "waiting for another exoshift that is fetching " + p.name() + " (it holds " + e.lock() + ")"
			i.log(text)
			progress(text)
		}
		if err := i.net.Clock.Sleep(ctx, time.Second); err != nil {
			return nil, err
		}
	}
}

// fileSum returns the sha256 of a file in hex.
func fileSum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
