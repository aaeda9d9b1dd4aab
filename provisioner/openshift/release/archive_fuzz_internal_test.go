package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

func packed(f *testing.F, header tar.Header, content string) []byte {
	f.Helper()
	var archive bytes.Buffer
	zipped := gzip.NewWriter(&archive)
	entries := tar.NewWriter(zipped)
	header.Size = int64(len(content))
	if err := entries.WriteHeader(&header); err != nil {
		f.Fatal(err)
	}
	if _, err := entries.Write([]byte(content)); err != nil {
		f.Fatal(err)
	}
	if err := entries.Close(); err != nil {
		f.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		f.Fatal(err)
	}
	return archive.Bytes()
}

func FuzzUnpack(f *testing.F) {
	const limit = 1 << 12
	long := string(bytes.Repeat([]byte("a/"), 200)) + programName
	for _, seed := range [][]byte{
		packed(f, tar.Header{Name: programName, Mode: 0o755, Typeflag: tar.TypeReg}, "#!/bin/sh\n"),
		packed(f, tar.Header{Name: "./" + programName, Mode: 0o755, Typeflag: tar.TypeReg, Format: tar.FormatPAX}, "x"),
		packed(f, tar.Header{Name: long, Typeflag: tar.TypeReg, Format: tar.FormatGNU}, "x"),
		packed(f, tar.Header{Name: programName, Typeflag: tar.TypeReg}, string(make([]byte, 2*limit))),
		packed(f, tar.Header{Name: "README.md", Typeflag: tar.TypeReg}, string(make([]byte, limit))),
		[]byte("<html>"), {0x1f, 0x8b}, nil,
	} {
		f.Add(seed, false)
		if unzipped, err := gzip.NewReader(bytes.NewReader(seed)); err == nil {
			var plain bytes.Buffer
			if _, err := plain.ReadFrom(unzipped); err == nil {
				f.Add(plain.Bytes(), true)
			}
		}
	}
	f.Fuzz(func(t *testing.T, content []byte, zip bool) {
		if zip { // the checksum of gzip would hide the archive from the fuzzer
			var zipped bytes.Buffer
			writer := gzip.NewWriter(&zipped)
			_, _ = writer.Write(content)
			_ = writer.Close()
			content = zipped.Bytes()
		}
		dir := t.TempDir()
		archive := filepath.Join(dir, "openshift-install-linux.tar.gz")
		if err := os.WriteFile(archive, content, 0o600); err != nil {
			t.Fatal(err)
		}
		var program bytes.Buffer
		sum, err := cache{limits: limits{archive: 1 << 20, program: limit}}.unpack(archive, &program)
		if program.Len() > limit {
			t.Fatalf("%d bytes were unpacked", program.Len())
		}
		if want := sha256.Sum256(program.Bytes()); err == nil && sum != hex.EncodeToString(want[:]) {
			t.Fatalf("the checksum of %q is told as %s", program.Bytes(), sum)
		}
		if err != nil && sum != "" {
			t.Fatalf("%v, and a checksum", err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Fatalf("the folder holds %v, %v", entries, err)
		}
	})
}
