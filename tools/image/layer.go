package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The user of the image. OpenShift chooses another user, but the same group, which therefore may write what the user may.
const (
	userID  = 65532
	groupID = 0
)

const (
	home             = "/home/exoshift"
	certificatesFile = "etc/ssl/certs/ca-certificates.crt"
)

// file is one of a layer. Its name ends with a slash if it is a directory.
type file struct {
	name    string
	mode    int64
	owner   int // user and group are root otherwise
	content []byte
}

func directory(name string, mode int64) file { return file{name: name, mode: mode} }

// listBase has what the program and openshift-install expect of a system: names of users, roots of trust, and directories that are
// mounted for them to write to.
func listBase() []file {
	users := fmt.Sprintf("root:x:0:0:root:/:/sbin/nologin\nexoshift:x:%d:%d:exoshift:%s:/sbin/nologin\n", userID, groupID, home)
	return []file{
		directory("etc/", 0o755), {name: "etc/group", mode: 0o644, content: []byte("root:x:0:\n")},
		{name: "etc/passwd", mode: 0o644, content: []byte(users)},
		directory("etc/ssl/", 0o755), directory("etc/ssl/certs/", 0o755),
		{name: certificatesFile, mode: 0o644, content: listCertificates()},
		directory("home/", 0o755), {name: home[1:] + "/", mode: 0o770, owner: userID},
		directory("tmp/", 0o1777), directory("usr/", 0o755), directory("usr/local/", 0o755),
	}
}

// listCertificates returns Mozilla's roots, as of the version of the module, as PEM. Those that may sign for a part of the names only,
// or until a day, are left out: a file of certificates cannot say so.
func listCertificates() []byte {
	var all bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return all.Bytes()
}

func newLayer(files []file, at time.Time) (v1.Layer, error) {
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Uid: f.owner, Size: int64(len(f.content)), ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if f.name[len(f.name)-1] == '/' {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content.Bytes())), nil })
}

// archive writes a directory as a tar file, sorted by name.
func archive(dir, path string, at time.Time) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := out.Close(); err == nil {
			err = closed
		}
	}()
	w := tar.NewWriter(out)
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		return add(w, dir, path, entry.IsDir(), at)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

func add(w *tar.Writer, dir, path string, isDir bool, at time.Time) error {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	header := &tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, ModTime: at, Typeflag: tar.TypeReg}
	if isDir {
		header.Name, header.Mode, header.Typeflag = header.Name+"/", 0o755, tar.TypeDir
		return w.WriteHeader(header)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	header.Size = int64(len(content))
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}
