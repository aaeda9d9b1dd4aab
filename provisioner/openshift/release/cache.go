package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/state"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// cacheEntry is the directory of one program in the cache: the published checksums with their signature, the archive, the
// program, a lock, and a partial download. Nothing in it is trusted: each run verifies the signature of the checksums, the
// archive against them, and the program against the archive.
type cacheEntry struct{ dir string }

func (e cacheEntry) program() string { return filepath.Join(e.dir, programName) }
func (e cacheEntry) lock() string    { return filepath.Join(e.dir, "lock") }

func (e cacheEntry) archive(p publication) string { return filepath.Join(e.dir, p.archive) }

func (e cacheEntry) loadChecksums(p publication) (kept checksums, err error) {
	if kept.list, err = fileread.Bytes(filepath.Join(e.dir, checksumName), maxList); err != nil {
		return kept, err
	}
	if p.signed {
		kept.signature, err = fileread.Bytes(filepath.Join(e.dir, signatureName), maxList)
	}
	return kept, err
}

func (i *Installer) checkArchive(e cacheEntry, p publication) error {
	sum, err := hashFile(e.archive(p), i.limits.archive)
	if err != nil {
		return err
	}
	kept, err := e.loadChecksums(p)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("its signed list of checksums is missing")
	}
	if err != nil {
		return err
	}
	published, err := p.findChecksum(kept)
	if err == nil && published != sum {
		err = errors.New("the archive is not the published one")
	}
	return err
}

func (e cacheEntry) clear(p publication) error {
	unfinished, err := fs.Glob(os.DirFS(e.dir), ".*")
	if err != nil {
		return err
	}
	for _, name := range append([]string{programName, p.archive, signatureName, checksumName}, unfinished...) {
		if err := os.Remove(filepath.Join(e.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (e cacheEntry) store(p publication, published checksums, part partialDownload) error {
	for name, content := range map[string][]byte{checksumName: published.list, signatureName: published.signature} {
		if len(content) == 0 {
			continue
		}
		if err := renameio.WriteFile(filepath.Join(e.dir, name), content, 0o600); err != nil {
			return err
		}
	}
	if err := os.Rename(part.path, e.archive(p)); err != nil {
		return err
	}
	return part.remove()
}

// ensureCached returns the release that the program reports, and its checksum. It downloads the archive if that is missing or
// damaged, and unpacks the program if it is not that of the archive.
func (i *Installer) ensureCached(ctx context.Context, e cacheEntry, p publication, progress func(string)) (state.Release, string, error) {
	if _, err := os.Stat(e.archive(p)); err == nil {
		progress("verifying " + p.name())
	}
	switch err := i.checkArchive(e, p); {
	case errors.Is(err, fs.ErrNotExist):
		return i.fillCache(ctx, e, p, progress)
	case err != nil:
		i.log(fmt.Sprintf("%s in %s is damaged (%v); fetching it again", p.name(), e.dir, err))
		return i.fillCache(ctx, e, p, progress)
	}
	want, err := i.unpack(e.archive(p), io.Discard)
	if err != nil {
		return state.Release{}, "", newUnpackFault(p, err)
	}
	if sum, err := hashFile(e.program(), i.limits.program); err != nil || sum != want {
		i.log(fmt.Sprintf("%s in %s is damaged (it is not the program of its archive); unpacking it again", p.name(), e.dir))
		if want, err = i.replaceProgram(e, p); err != nil {
			return state.Release{}, "", err
		}
	}
	release, err := i.verifyVersion(ctx, e, p)
	return release, want, err
}

// fillCache keeps archive and program only if the program reports the wanted version.
func (i *Installer) fillCache(ctx context.Context, e cacheEntry, p publication, progress func(string)) (release state.Release, sum string, err error) {
	if err := e.clear(p); err != nil {
		return release, "", fault.New(fault.Internal, "keep "+p.name(), err)
	}
	if err := i.download(ctx, e, p, progress); err != nil {
		return release, "", err
	}
	if sum, err = i.replaceProgram(e, p); err == nil {
		release, err = i.verifyVersion(ctx, e, p)
	}
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.Conflict) {
		err = errors.Join(err, e.clear(p))
	}
	return release, sum, err
}

func (i *Installer) verifyVersion(ctx context.Context, e cacheEntry, p publication) (state.Release, error) {
	release, err := queryVersion(ctx, i.runner, i.name(), e.program())
	if err != nil {
		return state.Release{}, err
	}
	if release.Version != p.version {
		return state.Release{}, fault.Newf(fault.Conflict, "check "+e.program(), "it says that it is version %s, not %s", release.Version, p.version).
			WithHint("delete %s and run again", e.dir)
	}
	return release, nil
}

// lock waits while another process fills the same entry.
func (i *Installer) lock(ctx context.Context, e cacheEntry, p publication, progress func(string)) (unlock func(), err error) {
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		return nil, fault.New(fault.Internal, "make room for "+p.name(), err).WithHint("check the permissions of this folder")
	}
	if err := e.checkPrivate(i.choice.Cache); err != nil {
		return nil, err
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

func hashFile(path string, limit int64) (string, error) {
	file, err := fileread.Open(path, limit)
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
