package shell

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path"

	"mvdan.cc/sh/v3/interp"
)

// null is the file that discards everything.
const null = "/dev/null"

// open is for redirections.
func (h *Host) open(ctx context.Context, name string, flag int, _ fs.FileMode) (io.ReadWriteCloser, error) {
	name = toAbsolute(ctx, name)
	if name == null {
		return &handle{}, nil
	}
	content, _, found := h.Files.read(name)
	switch writes := flag&(os.O_WRONLY|os.O_RDWR) != 0; {
	case !writes && !found:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case !writes:
		return &handle{in: bytes.NewReader(content)}, nil
	}
	kept := &handle{keep: func(written []byte) error { return h.Files.write(name, written) }}
	if flag&os.O_APPEND != 0 {
		kept.out.Write(content)
	}
	return kept, h.Files.write(name, kept.out.Bytes())
}

// handle is an open file; its content is stored when it is closed.
type handle struct {
	in   *bytes.Reader
	out  bytes.Buffer
	keep func([]byte) error
}

func (f *handle) Read(b []byte) (int, error) {
	if f.in == nil {
		return 0, io.EOF
	}
	return f.in.Read(b)
}

func (f *handle) Write(b []byte) (int, error) {
	if f.keep == nil {
		return len(b), nil
	}
	return f.out.Write(b)
}

func (f *handle) Close() error {
	if f.keep == nil {
		return nil
	}
	return f.keep(bytes.Clone(f.out.Bytes()))
}

func (h *Host) statFile(ctx context.Context, name string, _ bool) (fs.FileInfo, error) {
	name = toAbsolute(ctx, name)
	if h.Files.isFolder(name) {
		return info{name: path.Base(name), folder: true}, nil
	}
	content, mode, found := h.Files.read(name)
	if !found {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info{name: path.Base(name), size: int64(len(content)), mode: mode}, nil
}

func (h *Host) checkAccess(ctx context.Context, name string, mode interp.AccessMode) error {
	found, err := h.statFile(ctx, name, true)
	if err == nil && mode&interp.AccessExec != 0 && found.Mode()&executable == 0 {
		err = &fs.PathError{Op: "access", Path: name, Err: fs.ErrPermission}
	}
	return err
}

// skipListing leaves patterns unexpanded: no script here lists a directory.
func skipListing(context.Context, string) ([]fs.DirEntry, error) { return nil, nil }

func toAbsolute(ctx context.Context, name string) string {
	if !path.IsAbs(name) {
		name = path.Join(interp.HandlerCtx(ctx).Dir, name)
	}
	return path.Clean(name)
}
