package openshift

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// unpack writes the program in a verified archive to path, and its own checksum beside it. The checksum comes last:
// it is the sign that the program is complete.
func unpack(archive io.ReadSeeker, path string) error {
	program, err := findProgram(archive)
	if err != nil {
		return err
	}
	if err := os.Remove(sumFile(path)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o700))
	if err != nil {
		return err
	}
	defer file.Cleanup()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(file, hash), program); err != nil {
		return err
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return renameio.WriteFile(sumFile(path), []byte(hex.EncodeToString(hash.Sum(nil))+"\n"), 0o600)
}

// findProgram returns the program in the archive; what else is in there is never written anywhere.
func findProgram(archive io.ReadSeeker) (io.Reader, error) {
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
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

func sumFile(path string) string { return path + ".sha256" }

// complete tells whether the program at path is what was unpacked there.
func complete(path string) bool {
	noted, err := os.ReadFile(sumFile(path))
	if err != nil {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return false
	}
	return hex.EncodeToString(hash.Sum(nil)) == strings.TrimSpace(string(noted))
}
