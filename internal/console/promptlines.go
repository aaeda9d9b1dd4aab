package console

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// Why a line could not be had.
var (
	// ErrEnded tells that nothing more can be typed. It is never an answer.
	ErrEnded = errors.New("the input ended")
	// ErrInterrupted tells that Ctrl-C was typed while the terminal passed it on as a character.
	ErrInterrupted = errors.New("Ctrl-C was typed")
	errTooLong     = errors.New("the line is too long")
)

// maxLine is the length in bytes of a line that is taken; pull secrets have a few thousand.
const maxLine = 1 << 20

// LineReader is what is typed, line by line. It reads from its source only while somebody waits for a line, so that one
// Lines may be handed from one who asks to the next. It is not safe for concurrent use.
type LineReader struct {
	in      *bufio.Reader
	pending chan typedLine // of a line that nobody waited for to the end; nil: none
	cr      bool           // the last line ended with CR: an LF that follows belongs to it
}

type typedLine struct {
	line string
	err  error
}

// NewLineReader returns the lines of a source.
func NewLineReader(in io.Reader) *LineReader { return &LineReader{in: bufio.NewReader(in)} }

// Next returns the next line without its end, ErrEnded, or the cause of ctx's end. A line that nobody waited for to its
// end is the next one. A last line without an end is none: somebody hung up in the middle of it.
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

// resetLineEnd says that the terminal ends lines in another way from now on: an LF that comes next was typed.
func (l *LineReader) resetLineEnd() {
	if l.pending == nil {
		l.cr = false
	}
}

// Keys that a terminal passes on while it neither shows nor edits what is typed.
const (
	interrupt  = 0x03
	endOfInput = 0x04
	backspace  = 0x08
	eraseLine  = 0x15
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

func finishLine(line []byte, tooLong bool) typedLine {
	if tooLong {
		return typedLine{err: errTooLong}
	}
	return typedLine{line: strings.ToValidUTF8(string(line), "\uFFFD")}
}
