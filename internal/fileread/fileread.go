// Package fileread reads the files that others wrote: what people hand in, and what is found in folders. Nothing but a
// regular file is read, no more of it than its reader can use, and no call waits for anybody: a pipe or a device in the
// place of a file is an error at once.
package fileread

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"exoshift/internal/fault"
)

// The usual limits, in bytes.
const (
	Small = 1 << 20   // what people write: answers, keys, tokens, certificates, manifests
	Large = 64 << 20  // what programs write and is read at once
	Lines = 256 << 20 // what runs append to for weeks, read line by line
)

// Bytes returns the content of a regular file of at most limit bytes. That there is none is fs.ErrNotExist.
func Bytes(path string, limit int64) ([]byte, error) {
	file, err := Open(path, limit)
	if err != nil {
		return nil, err
	}
	return readAll(file, limit)
}

// Text is Bytes for a text in UTF-8, which is returned without a byte order mark. Another form is a *TextError.
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

// Open opens a regular file of at most limit bytes, for what is read piece by piece.
func Open(path string, limit int64) (*os.File, error) {
	file, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, err
	}
	return checked(file, limit)
}

// BytesIn is Bytes for a file below a folder that no link leads out of.
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

// flags open a pipe without waiting for its writer, and no terminal as that of this process.
const flags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// checked returns an open file that Check accepts, and closes any other.
func checked(file *os.File, limit int64) (*os.File, error) {
	if err := Check(file, limit); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// Check fails unless an open file is a regular one of at most limit bytes.
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

// CheckRegular fails unless the info is that of a regular file. It names what is there instead.
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
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fault.TooLargeError{What: file.Name(), Limit: limit}
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}
