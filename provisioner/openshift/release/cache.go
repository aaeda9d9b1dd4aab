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
	"syscall"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/provisioner/openshift/release/download"
	"exoshift/provisioner/openshift/release/program"
	"exoshift/state"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// cache holds the programs of releases, for all clusters.
type cache struct {
	dir    string
	mirror mirror
	runner program.Runner
	limits limits
}

// limits bound the archive of the program and what it is unpacked to, in bytes: several times what they have, about 700 MB.
type limits struct{ archive, program int64 }

// fetch makes a program ready to run, and returns its path and checksum.
func (c cache) fetch(ctx context.Context, p publication, progress func(string)) (path, sum string, release state.Release, err error) {
	e := p.toCacheEntry(c.dir)
	unlock, err := c.lock(ctx, e, p, progress)
	if err != nil {
		return "", "", state.Release{}, err
	}
	defer unlock()
	release, sum, err = c.ensureCached(ctx, e, p, progress)
	return e.program(), sum, release, err
}

// cacheEntry is the directory of one program in the cache: the published checksums with their signature, the archive, the
// program, a lock, and a partial download. Nothing in it is trusted: each run verifies the signature of the checksums, the
// archive against them, and the program against the archive.
type cacheEntry struct{ dir string }

func (e cacheEntry) program() string { return filepath.Join(e.dir, programName) }
func (e cacheEntry) lock() string    { return filepath.Join(e.dir, "lock") }

func (e cacheEntry) archive(p publication) string { return filepath.Join(e.dir, p.archive) }

func (e cacheEntry) loadChecksums(p publication) (kept checksums, err error) {
	if kept.list, err = fileread.Bytes(filepath.Join(e.dir, checksumName), download.MaxList); err != nil {
		return kept, err
	}
	if p.signed {
		kept.signature, err = fileread.Bytes(filepath.Join(e.dir, signatureName), download.MaxList)
	}
	return kept, err
}

func (c cache) checkArchive(e cacheEntry, p publication) error {
	sum, err := hashFile(e.archive(p), c.limits.archive)
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

func (e cacheEntry) store(p publication, published checksums, part download.Partial) error {
	for name, content := range map[string][]byte{checksumName: published.list, signatureName: published.signature} {
		if len(content) == 0 {
			continue
		}
		if err := renameio.WriteFile(filepath.Join(e.dir, name), content, 0o600); err != nil {
			return err
		}
	}
	if err := os.Rename(part.Path, e.archive(p)); err != nil {
		return err
	}
	return part.Remove()
}

// ensureCached returns the release that the program reports, and its checksum. It downloads the archive if that is missing or
// damaged, and unpacks the program if it is not that of the archive.
func (c cache) ensureCached(ctx context.Context, e cacheEntry, p publication, progress func(string)) (state.Release, string, error) {
	if _, err := os.Stat(e.archive(p)); err == nil {
		progress("verifying " + p.name())
	}
	switch err := c.checkArchive(e, p); {
	case errors.Is(err, fs.ErrNotExist):
		return c.fillCache(ctx, e, p, progress)
	case err != nil:
		c.runner.Log(fmt.Sprintf("%s in %s is damaged (%v); downloading it again", p.name(), e.dir, err))
		return c.fillCache(ctx, e, p, progress)
	}
	want, err := c.unpack(e.archive(p), io.Discard)
	if err != nil {
		return state.Release{}, "", newUnpackFault(p, err)
	}
	if sum, err := hashFile(e.program(), c.limits.program); err != nil || sum != want {
		c.runner.Log(fmt.Sprintf("%s in %s is damaged (it differs from its archive); unpacking it again", p.name(), e.dir))
		if want, err = c.replaceProgram(e, p); err != nil {
			return state.Release{}, "", err
		}
	}
	release, err := c.verifyVersion(ctx, e, p)
	return release, want, err
}

// fillCache keeps archive and program only if the program reports the wanted version.
func (c cache) fillCache(ctx context.Context, e cacheEntry, p publication, progress func(string)) (release state.Release, sum string, err error) {
	if err := e.clear(p); err != nil {
		return release, "", fault.New(fault.Internal, "keep "+p.name(), err)
	}
	if err := c.download(ctx, e, p, progress); err != nil {
		return release, "", err
	}
	if sum, err = c.replaceProgram(e, p); err == nil {
		release, err = c.verifyVersion(ctx, e, p)
	}
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.Conflict) {
		err = errors.Join(err, e.clear(p))
	}
	return release, sum, err
}

func (c cache) verifyVersion(ctx context.Context, e cacheEntry, p publication) (state.Release, error) {
	release, err := queryVersion(ctx, c.runner, p.name(), e.program())
	if err != nil {
		return state.Release{}, err
	}
	if release.Version != p.version {
		return state.Release{}, fault.Newf(fault.Conflict, "check "+e.program(), "its version is %s instead of %s", release.Version, p.version).
			WithHint("delete %s and run again", e.dir)
	}
	return release, nil
}

// lock waits while another process fills the same entry.
func (c cache) lock(ctx context.Context, e cacheEntry, p publication, progress func(string)) (unlock func(), err error) {
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		return nil, fault.New(fault.Internal, "free disk space for "+p.name(), err).WithHint("check the permissions of this folder")
	}
	if err := e.checkPrivate(c.dir); err != nil {
		return nil, err
	}
	if err := fileread.CheckPath(e.lock()); err != nil {
		return nil, fault.New(fault.Invalid, "lock "+e.lock(), err).WithHint("remove it")
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
			c.runner.Log(text)
			progress(text)
		}
		if err := c.runner.Clock.Sleep(ctx, time.Second); err != nil {
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

// checkPrivate refuses an entry of the cache that another user could change between its verification and its execution: one who
// owns or may write one of the folders from the cache down to it, or its program.
func (e cacheEntry) checkPrivate(cache string) error {
	for path := e.program(); ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err == nil {
			err = checkOwner(path, info)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Conflict, "use the cache in "+cache, err).
				WithHint("remove %s, or use another folder with XDG_CACHE_HOME: programs that others can change are not run", path)
		}
		if path == filepath.Clean(cache) || path == filepath.Dir(path) {
			return nil
		}
	}
}

func checkOwner(path string, info fs.FileInfo) error {
	if owner, known := info.Sys().(*syscall.Stat_t); known && int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to the user %d, and exoshift runs as the user %d", path, owner.Uid, os.Geteuid())
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("%s can be written by group or others (mode %04o)", path, mode)
	}
	return nil
}
