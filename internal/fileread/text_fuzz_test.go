package fileread_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"exoshift/internal/fileread"
)

// FuzzText: what is returned is text, and a fault is at a place that exists.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"", "a: b\n", "\ufeffa: b", "\ufeff", "\xff\xfea\x00", "\xfe\xff", "a\x00", "é\xff", "\xed\xa0\x80", "\n\n\xc3", "- - - - a", "[[[{{{", "a: |\n  [[[\n# {{{", "? [",
		strings.Repeat("[", 300), strings.Repeat("- ", 300), "'\n" + strings.Repeat("{", 200),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		text, err := fileread.DecodeText(content)
		if err == nil && (!utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 || !bytes.HasSuffix(content, text)) {
			t.Fatalf("%q was taken for text: %q", content, text)
		}
		if err == nil {
			err = fileread.CheckNesting(text)
		}
		var place *fileread.TextError
		if err != nil && (!errors.As(err, &place) || place.Line < 1 || place.Line > bytes.Count(content, []byte("\n"))+bytes.Count(content, []byte("\r"))+1 || place.Column < 0) {
			t.Fatalf("%q: %v", content, err)
		}
	})
}
