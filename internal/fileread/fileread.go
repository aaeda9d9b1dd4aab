// Package fileread reads files that come from users or other programs. Only regular files up to a size limit are read, and no
// call blocks: a pipe or a device in place of a file is an error at once.
package fileread

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"exoshift/internal/fault"
)

// The usual limits, in bytes.
const (
	Small = 1 << 20   // written by people: answers, keys, tokens, certificates, manifests
	Large = 64 << 20  // written by programs and read at once
	Lines = 256 << 20 // appended to by runs for weeks, read line by line
)

// Bytes returns the content of a regular file of at most limit bytes. A missing file is fs.ErrNotExist.
func Bytes(path string, limit int64) ([]byte, error) {
	file, err := Open(path, limit)
	if err != nil {
		return nil, err
	}
	return readAll(file, limit)
}

// Text is Bytes for UTF-8 text, returned without a byte order mark. Another encoding is a *TextError.
func Text(path string, limit int64) ([]byte, error) {
	content, err := Bytes(path, limit)
	if err != nil {
		return nil, err
	}
	text, err := DecodeText(content)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return text, nil
}

// Open opens a regular file of at most limit bytes for streaming.
func Open(path string, limit int64) (*os.File, error) {
	file, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, err
	}
	return checked(file, limit)
}

// BytesIn is Bytes for a file in a root that links cannot leave.
func BytesIn(root *os.Root, name string, limit int64) ([]byte, error) {
	file, err := root.OpenFile(name, flags, 0)
	if err == nil {
		file, err = checked(file, limit)
	}
	if err != nil {
		return nil, err
	}
	return readAll(file, limit)
}

// flags avoid blocking on a pipe and acquiring a controlling terminal.
const flags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

func checked(file *os.File, limit int64) (*os.File, error) {
	if err := Check(file, limit); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// Check returns an error unless an open file is a regular one of at most limit bytes.
func Check(file *os.File, limit int64) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := CheckRegular(file.Name(), info); err != nil {
		return err
	}
	if info.Size() > limit {
		return fault.TooLargeError{What: file.Name(), Limit: limit}
	}
	return nil
}

// CheckPath returns an error if there is something else than a regular file at a path; nothing is no error. It is for what opens the
// file by itself, as locks do.
func CheckPath(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return CheckRegular(path, info)
}

// CheckRegular returns an error, with the type of the file, unless info is that of a regular file.
func CheckRegular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is %s, not a regular file", path, describeMode(info.Mode()))
}

func describeMode(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "something else"
}

// readAll reads and closes a file, which may have grown since its size was checked.
func readAll(file *os.File, limit int64) ([]byte, error) {
	defer file.Close()
	var read bytes.Buffer
	if info, err := file.Stat(); err == nil {
		read.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
	}
	_, err := read.ReadFrom(io.LimitReader(file, limit+1))
	content := read.Bytes()
	if err == nil && int64(len(content)) > limit {
		err = fault.TooLargeError{What: file.Name(), Limit: limit}
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}
