package release

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/provisioner/openshift/release/download"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/gzip" // unpacks about twice as fast as the standard library
)

func (c cache) download(ctx context.Context, e cacheEntry, p publication, progress func(string)) error {
	packed, published, err := c.mirror.findArchive(ctx, p)
	if err != nil {
		return err
	}
	part := download.Partial{Path: e.archive(p) + ".part", URL: packed.url, SHA256: packed.sum}
	c.runner.Log("downloading " + p.name())
	if err := c.mirror.downloads.Complete(ctx, part, c.limits.archive, p.name(), progress); err != nil {
		return err
	}
	if err := e.store(p, published, part); err != nil {
		return fault.New(fault.Internal, "keep "+p.name(), err).WithHint("check the disk's space and the folder's permissions")
	}
	return nil
}

func (c cache) replaceProgram(e cacheEntry, p publication) (sum string, err error) {
	c.runner.Log("unpacking " + p.name())
	file, err := renameio.NewPendingFile(e.program(), renameio.WithTempDir(filepath.Dir(e.program())), renameio.WithPermissions(0o700))
	if err != nil {
		return "", newUnpackFault(p, err)
	}
	defer file.Cleanup()
	if sum, err = c.unpack(e.archive(p), file); err == nil {
		err = file.CloseAtomicallyReplace()
	}
	if err != nil {
		return "", newUnpackFault(p, err)
	}
	return sum, nil
}

func newUnpackFault(p publication, err error) error {
	var local *fs.PathError
	if errors.As(err, &local) {
		return fault.New(fault.Internal, "unpack "+p.name(), err).
			WithHint("check the disk's space and the folder's permissions")
	}
	return fault.New(fault.Invalid, "unpack "+p.directory+p.archive, err).
		WithHint("the archive is intact but has unexpected content; check the version")
}

func (c cache) unpack(archive string, to io.Writer) (sum string, err error) {
	packed, err := fileread.Open(archive, c.limits.archive)
	if err != nil {
		return "", err
	}
	defer packed.Close()
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return "", err
	}
	program, err := findProgram(download.LimitReader(unzipped, "unpack "+filepath.Base(archive), c.limits.program), c.limits.program)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, hash), program); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// findProgram reads the archive only up to the program; nothing else in it is ever written.
func findProgram(unzipped io.Reader, limit int64) (io.Reader, error) {
	entries := tar.NewReader(unzipped)
	for {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("it does not contain %s", programName)
		}
		if err != nil {
			return nil, err
		}
		if entry.Size > limit {
			return nil, download.NewTooLargeError("unpack "+entry.Name, limit)
		}
		if name := strings.TrimPrefix(entry.Name, "./"); entry.Typeflag == tar.TypeReg && (name == programName || name == fipsProgram) {
			return entries, nil
		}
	}
}
