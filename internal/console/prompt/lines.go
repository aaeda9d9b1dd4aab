package prompt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// Errors of LineReader.Next.
var (
	// ErrEnded reports the end of the input. It is never an answer.
	ErrEnded = errors.New("the input ended")
	// ErrInterrupted reports Ctrl-C as a character, in raw mode.
	ErrInterrupted = errors.New("Ctrl-C was typed")
	errTooLong     = errors.New("the line is too long")
)

// maxLine limits a line, in bytes; pull secrets have a few thousand.
const maxLine = 1 << 20

// LineReader reads lines. It reads from its source only while Next waits, so that it can be passed on between users. It is not
// safe for concurrent use.
type LineReader struct {
	in      *bufio.Reader
	pending chan typedLine // of a line whose Next was cancelled; nil: none
	cr      bool           // the last line ended with CR: a following LF belongs to it
}

type typedLine struct {
	line string
	err  error
}

// NewLineReader returns a reader of the lines of in.
func NewLineReader(in io.Reader) *LineReader { return &LineReader{in: bufio.NewReader(in)} }

// Next returns the next line without its end, ErrEnded, or the cause of ctx's end. A line whose Next was cancelled is returned
// by the next call. A last line without an end is dropped: the input was cut off.
func (l *LineReader) Next(ctx context.Context) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if l.pending == nil {
		l.pending = make(chan typedLine, 1)
		go func(done chan<- typedLine) { done <- l.read() }(l.pending)
	}
	select {
	case got := <-l.pending:
		l.pending = nil
		return got.line, got.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// resetLineEnd is for a change of the terminal's mode: a following LF was typed and is not the end of a CR LF.
func (l *LineReader) resetLineEnd() {
	if l.pending == nil {
		l.cr = false
	}
}

// Control characters that a terminal in raw mode passes on.
const (
	interrupt  = 0x03
	endOfInput = 0x04
	backspace  = 0x08
	eraseLine  = 0x15
	eraseWord  = 0x17
	del        = 0x7f
)

func (l *LineReader) read() typedLine {
	var line []byte
	tooLong := false
	for {
		b, err := l.in.ReadByte()
		first := l.cr
		l.cr = b == '\r' && err == nil
		switch {
		case err != nil, b == endOfInput && len(line) == 0:
			return typedLine{err: ErrEnded}
		case b == '\n' && first: // of CR LF
		case b == '\n', b == '\r':
			return finishLine(line, tooLong)
		case b == interrupt:
			return typedLine{err: ErrInterrupted}
		case b == eraseLine:
			line, tooLong = line[:0], false
		case b == eraseWord:
			line = trimLastWord(line)
		case b == backspace, b == del:
			_, size := utf8.DecodeLastRune(line)
			line = line[:len(line)-size]
		case len(line) >= maxLine:
			tooLong = true
		default:
			line = append(line, b)
		}
	}
}

func trimLastWord(line []byte) []byte {
	line = bytes.TrimRight(line, " \t")
	return line[:bytes.LastIndexAny(line, " \t")+1]
}

func finishLine(line []byte, tooLong bool) typedLine {
	if tooLong {
		return typedLine{err: errTooLong}
	}
	return typedLine{line: strings.ToValidUTF8(string(line), "\uFFFD")}
}
