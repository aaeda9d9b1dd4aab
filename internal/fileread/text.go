package fileread

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// TextError is the position at which a text is not valid UTF-8.
type TextError struct {
	Line, Column int // 1-based; columns count characters
	Problem      string
}

func (e *TextError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

const (
	utf8Mark    = "\xef\xbb\xbf" // byte order marks
	utf16Little = "\xff\xfe"
	utf16Big    = "\xfe\xff"
)

// DecodeText returns UTF-8 text without its byte order mark, or a *TextError with the position of the first invalid byte.
func DecodeText(content []byte) ([]byte, error) {
	if bytes.HasPrefix(content, []byte(utf16Little)) || bytes.HasPrefix(content, []byte(utf16Big)) {
		return nil, &TextError{Line: 1, Column: 1, Problem: "the text is in UTF-16; save it in UTF-8"}
	}
	text := bytes.TrimPrefix(content, []byte(utf8Mark))
	if bytes.IndexByte(text, 0) < 0 && utf8.Valid(text) {
		return text, nil
	}
	e := TextError{Line: 1, Column: 1}
	for rest := text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			e.Problem = fmt.Sprintf("the byte 0x%02x is not UTF-8", rest[0])
			return nil, &e
		case r == 0:
			e.Problem = "a NUL character"
			return nil, &e
		case r == '\n':
			e.Line, e.Column = e.Line+1, 0
		}
		e.Column++
		rest = rest[size:]
	}
	return text, nil
}
