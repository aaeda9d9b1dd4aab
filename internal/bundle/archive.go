package bundle

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"time"
)

// archive is a reproducible tar file: it has neither owner nor modification times.
type archive struct {
	tar  *tar.Writer
	gzip *gzip.Writer
}

func newArchive(w io.Writer) archive {
	packed := gzip.NewWriter(w)
	return archive{tar: tar.NewWriter(packed), gzip: packed}
}

func (a archive) add(name string, content []byte) error {
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: path.Join(topFolder, name), Size: int64(len(content)), Mode: 0o600,
		ModTime: time.Unix(0, 0), Format: tar.FormatPAX,
	}
	if err := a.tar.WriteHeader(header); err != nil {
		return fmt.Errorf("pack %s: %w", name, err)
	}
	if _, err := a.tar.Write(content); err != nil {
		return fmt.Errorf("pack %s: %w", name, err)
	}
	return nil
}

func (a archive) close() error { return errors.Join(a.tar.Close(), a.gzip.Close()) }

// Create writes a file that only its owner can read, and fails with fs.ErrExist if it exists.
func Create(name string, content []byte) (err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(name)
		}
	}()
	if _, err = file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}
