package download

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// endless counts the bytes that are read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestPrefetcher_ReadsUpToBuffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &endless{}
		a := newPrefetcher(source)
		synctest.Wait()
		if source.read != prefetchBuffers*prefetchSize {
			t.Errorf("%d bytes are read before anybody asks", source.read)
		}
		if _, err := io.ReadFull(a, make([]byte, prefetchSize+1)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if source.read != (prefetchBuffers+1)*prefetchSize {
			t.Errorf("%d bytes are read when one buffer is empty", source.read)
		}
		a.stop()
		a.stop()
	})
}

func TestPrefetcher_InOrderThenError(t *testing.T) {
	broken := errors.New("broken")
	content := []byte(strings.Repeat("0123456789", 100_000))
	for name, end := range map[string]error{"an end": io.EOF, "an error": broken, "an end too early": io.ErrUnexpectedEOF} {
		for _, late := range []bool{true, false} {
			source := io.MultiReader(bytes.NewReader(content), iotest.ErrReader(end))
			if late {
				source = iotest.DataErrReader(source)
			}
			a := newPrefetcher(source)
			var got bytes.Buffer
			_, err := io.Copy(&got, struct{ io.Reader }{a})
			if !bytes.Equal(got.Bytes(), content) || !errors.Is(err, end) && (err != nil || !errors.Is(end, io.EOF)) {
				t.Errorf("%s: %d bytes, %v", name, got.Len(), err)
			}
			a.stop()
		}
	}
}
