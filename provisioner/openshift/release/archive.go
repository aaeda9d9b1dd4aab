package release

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"exoshift/internal/fault"

	"github.com/google/renameio/v2"
)

// install downloads, verifies and unpacks the program of an entry. It returns the program's checksum.
func (i *Installer) install(ctx context.Context, e entry, p publication, progress func(string)) (sum string, err error) {
	packed, err := i.publishedArchive(ctx, p)
	if err != nil {
		return "", err
	}
	part := e.partial(packed)
	i.log("downloading " + p.name())
	if err := (&transfer{Installer: i, part: part, what: p.name(), progress: progress}).complete(ctx); err != nil {
		return "", err
	}
	i.log("unpacking " + p.name())
	sum, err = unpack(part.path, e.program())
	var local *fs.PathError
	if errors.As(err, &local) {
		return "", fault.New(fault.Internal, "unpack "+p.name(), err).
			WithHint("check the disk's space and the folder's permissions")
	}
	if err != nil {
		err = fault.New(fault.Invalid, "unpack "+packed.url, err).
			WithHint("the archive is intact but not what was expected; check the version")
	}
	return sum, errors.Join(err, part.remove())
}

// unpack writes the program in a verified archive to path and returns its checksum.
func unpack(archive, path string) (sum string, err error) {
	packed, err := os.Open(archive)
	if err != nil {
		return "", err
	}
	defer packed.Close()
	program, err := findProgram(packed)
	if err != nil {
		return "", err
	}
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o700))
	if err != nil {
		return "", err
	}
	defer file.Cleanup()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(file, hash), program); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), file.CloseAtomicallyReplace()
}

// findProgram returns the program in the archive; what else is in there is never written anywhere.
func findProgram(archive io.Reader) (io.Reader, error) {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}
	entries := tar.NewReader(unzipped)
	for {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("there is no %s in it", programName)
		}
		if err != nil {
			return nil, err
		}
		if entry.Typeflag == tar.TypeReg && strings.TrimPrefix(entry.Name, "./") == programName {
			return entries, nil
		}
	}
}
