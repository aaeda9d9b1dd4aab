package bundle_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"testing"

	"exoshift/internal/bundle"
)

// FuzzOpen: of whatever archive, only files with names within a folder are read, and never more than the limit.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"exoshift-bundle/events.jsonl", "exoshift-bundle/../x", "/etc/passwd", "exoshift-bundle//a/./b", "exoshift-bundle/", "a\x00b"} {
		var packed bytes.Buffer
		zip := gzip.NewWriter(&packed)
		archive := tar.NewWriter(zip)
		_ = archive.WriteHeader(&tar.Header{Name: name, Size: 3, Typeflag: tar.TypeReg, Mode: 0o600})
		_, _ = archive.Write([]byte("{}\n"))
		_, _ = archive.Close(), zip.Close()
		f.Add(packed.Bytes())
		f.Add(packed.Bytes()[:packed.Len()/2])
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 1<<16 {
			return // a bomb of this size is a test of its own
		}
		opened, err := bundle.Open(bytes.NewReader(content))
		if err == nil && len(opened.Files) == 0 {
			t.Fatal("it has no files, and there is no error")
		}
		total := 0
		for name, file := range opened.Files {
			if !fs.ValidPath(name) || name == "." {
				t.Fatalf("a file is called %q", name)
			}
			total += len(file)
		}
		if total > 256<<20 {
			t.Fatalf("%d bytes were read", total)
		}
	})
}
