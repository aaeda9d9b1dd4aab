package release_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/state"
)

const imageURL = "https://rhcos.mirror.openshift.com/a.qcow2.gz"

// noisyImage has n bytes that hardly compress.
func noisyImage(t *testing.T, n int) (content, packed []byte) {
	t.Helper()
	content = make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{5}).Read(content)
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return content, out.Bytes()
}

func TestOpenImage_ManyBuffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		content, packed := noisyImage(t, 3<<20+17)
		m.files["/a.qcow2.gz"] = &file{content: packed}
		got, err := readImage(t.Context(), m, state.BootImage{URL: imageURL, SHA256: sum(packed)})
		if err != nil || got != string(content) {
			t.Errorf("%d of %d bytes, %v", len(got), len(content), err)
		}
	})
}

func TestOpenImage_DataBeforeDamage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		content, packed := noisyImage(t, 3<<20)
		packed[len(packed)-6] ^= 1 // of the checksum at the end
		m.files["/a.qcow2.gz"] = &file{content: packed}
		got, err := readImage(t.Context(), m, state.BootImage{URL: imageURL, SHA256: sum(packed)})
		if !fault.Is(err, fault.Invalid) || got != string(content) {
			t.Errorf("%d of %d bytes, %v", len(got), len(content), err)
		}
	})
}

func TestOpenImage_ProgressEachSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		_, packed := noisyImage(t, 2<<20)
		m.files["/a.qcow2.gz"] = &file{content: packed}
		var mu sync.Mutex
		var lines []string
		receive := func(text string) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, text)
		}
		stream, err := m.downloads().OpenImage(t.Context(), state.BootImage{URL: imageURL, SHA256: sum(packed)}, receive)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, stream); err != nil {
			t.Fatal(err)
		}
		if err := stream.Close(); err != nil {
			t.Fatal(err)
		}
		if len(lines) != 1 || !strings.HasSuffix(lines[0], " of 3 MB") {
			t.Errorf("%q", lines)
		}
	})
}
