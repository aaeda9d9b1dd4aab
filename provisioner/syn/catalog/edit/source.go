package edit

import (
	"bytes"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// source is the text of a file, line by line.
type source struct {
	byteOrderMark string
	end           string // of lines
	lines         []line
}

type line struct{ text, end string }

// position is a byte in a line; lines are counted from 1, bytes from 0.
type position struct{ line, at int }

// span is a half-open range of the text.
type span struct{ from, to position }

func (s *source) lineText(number int) string {
	if number < 1 || number > len(s.lines) {
		return ""
	}
	return s.lines[number-1].text
}

// findPosition converts the token's column, which is in characters.
func (s *source) findPosition(t *token.Token) position {
	text, letters := s.lineText(t.Position.Line), 0
	for at := range text {
		if letters++; letters == t.Position.Column {
			return position{t.Position.Line, at}
		}
	}
	return position{t.Position.Line, len(text)}
}

func (s *source) findEnd(t *token.Token) position {
	if t == nil {
		return position{}
	}
	p := s.findPosition(t)
	return position{p.line, p.at + 1}
}

// isWrittenNull reports whether a null is explicit.
func (s *source) isWrittenNull(from position) bool {
	rest := strings.TrimLeft(s.lineText(from.line)[from.at:], " \t")
	return strings.HasPrefix(rest, "~") || strings.HasPrefix(strings.ToLower(rest), "null")
}

// findClosing returns the position after the closing quote.
func (s *source) findClosing(open position, quote byte) position {
	at := open.at + 1
	for number := open.line; number <= len(s.lines); number++ {
		for text := s.lineText(number); at < len(text); at++ {
			switch {
			case text[at] == '\\' && quote == '"':
				at++
			case text[at] == quote && quote == '\'' && strings.HasPrefix(text[at+1:], "'"):
				at++
			case text[at] == quote:
				return position{number, at + 1}
			}
		}
		at = 0
	}
	return open
}

func (s *source) replace(old span, text string) {
	head, tail := s.lineText(old.from.line)[:old.from.at], s.lineText(old.to.line)[old.to.at:]
	if old.to.line > old.from.line {
		s.lines[old.from.line-1].end = s.lines[old.to.line-1].end
		s.lines = append(s.lines[:old.from.line:old.from.line], s.lines[old.to.line:]...)
	}
	s.lines[old.from.line-1].text = head + text + tail
}

func (s *source) render() []byte {
	var b bytes.Buffer
	b.WriteString(s.byteOrderMark)
	for _, each := range s.lines {
		b.WriteString(each.text + each.end)
	}
	return b.Bytes()
}

// insert inserts lines after line number after; 0: at the beginning. A file without a final newline keeps that.
func (s *source) insert(after int, texts ...string) {
	fresh := make([]line, len(texts))
	for i, text := range texts {
		fresh[i] = line{text, s.end}
	}
	if last := after - 1; after > 0 && s.lines[last].end == "" && len(fresh) > 0 {
		s.lines[last].end, fresh[len(fresh)-1].end = s.end, ""
	}
	s.lines = append(s.lines[:after:after], append(fresh, s.lines[after:]...)...)
}

func (s *source) remove(first, last int) {
	s.lines = append(s.lines[:first-1:first-1], s.lines[last:]...)
}
