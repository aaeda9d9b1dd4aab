package cel

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

type tokenKind int

const (
	end tokenKind = iota
	identifier
	symbol
	integer // this and the following ones are literals
	unsigned
	floating
	text
	binary
)

type token struct {
	kind     tokenKind
	content  string
	position int // in bytes
}

// symbols are what is neither a word nor a literal, the longer ones first.
func symbols() []string {
	return []string{
		"==", "!=", "<=", ">=", "&&", "||",
		"<", ">", "!", "+", "-", "*", "/", "%", "?", ":", ".", ",", "(", ")", "[", "]", "{", "}",
	}
}

type scanner struct {
	rest     string
	position int
	tokens   []token
}

func scan(expression string) ([]token, error) {
	s := scanner{rest: string([]rune(expression))} // what is no UTF-8 is U+FFFD
	known := symbols()
	for s.skipSpace(); s.rest != ""; s.skipSpace() {
		if !s.takeText() && !s.takeNumber() && !s.takeWord() && !s.takeSymbol(known) {
			return nil, fmt.Errorf("at %d: syntax error: unexpected %q", s.position, firstRune(s.rest))
		}
	}
	s.take(end, 0)
	return s.tokens, nil
}

func firstRune(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return s[:size]
}

func (s *scanner) take(kind tokenKind, length int) bool {
	s.tokens = append(s.tokens, token{kind: kind, content: s.rest[:length], position: s.position})
	s.skip(length)
	return true
}

func (s *scanner) skip(length int) { s.rest, s.position = s.rest[length:], s.position+length }

func (s *scanner) skipSpace() {
	for {
		s.skip(countPrefix(s.rest, func(c byte) bool { return strings.IndexByte(" \t\r\n\f", c) >= 0 }))
		if !strings.HasPrefix(s.rest, "//") {
			return
		}
		s.skip(countPrefix(s.rest, func(c byte) bool { return c != '\n' }))
	}
}

func countPrefix(s string, accepts func(byte) bool) int {
	n := 0
	for n < len(s) && accepts(s[n]) {
		n++
	}
	return n
}

// takeText takes a string or bytes, with the letters before the quotes. The content is unescaped later.
func (s *scanner) takeText() bool {
	kind, n := text, 0
	if n < len(s.rest) && (s.rest[n] == 'b' || s.rest[n] == 'B') {
		kind, n = binary, n+1
	}
	raw := n < len(s.rest) && (s.rest[n] == 'r' || s.rest[n] == 'R')
	if raw {
		n++
	}
	for _, quote := range []string{`"""`, `'''`, `"`, `'`} {
		if !strings.HasPrefix(s.rest[n:], quote) {
			continue
		}
		if length := closedLength(s.rest[n+len(quote):], quote, raw); length >= 0 {
			return s.take(kind, n+len(quote)+length)
		}
	}
	return false
}

// closedLength returns how long a text is, with the quote that ends it; -1 if nothing ends it.
func closedLength(s, quote string, raw bool) int {
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], quote):
			return i + len(quote)
		case len(quote) == 1 && (s[i] == '\n' || s[i] == '\r'):
			return -1
		case s[i] == '\\' && !raw:
			i++
		}
	}
	return -1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func isWord(c byte) bool {
	return c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (s *scanner) takeNumber() bool {
	if n := countHex(s.rest); n > 0 {
		return s.takeInteger(n)
	}
	digits := countPrefix(s.rest, isDigit)
	n := digits
	if fraction := countFraction(s.rest[n:]); fraction > 0 {
		n += fraction
	} else if digits == 0 {
		return false
	}
	n += countExponent(s.rest[n:])
	if n > digits {
		return s.take(floating, n)
	}
	return s.takeInteger(n)
}

func countHex(s string) int {
	if !strings.HasPrefix(s, "0x") {
		return 0
	}
	if n := countPrefix(s[2:], isHex); n > 0 {
		return 2 + n
	}
	return 0
}

func countFraction(s string) int {
	if !strings.HasPrefix(s, ".") {
		return 0
	}
	if n := countPrefix(s[1:], isDigit); n > 0 {
		return 1 + n
	}
	return 0
}

func countExponent(s string) int {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return 0
	}
	n := 1
	if n < len(s) && (s[n] == '+' || s[n] == '-') {
		n++
	}
	if digits := countPrefix(s[n:], isDigit); digits > 0 {
		return n + digits
	}
	return 0
}

func (s *scanner) takeInteger(n int) bool {
	if n < len(s.rest) && (s.rest[n] == 'u' || s.rest[n] == 'U') {
		return s.take(unsigned, n+1)
	}
	return s.take(integer, n)
}

func (s *scanner) takeWord() bool {
	if n := countPrefix(s.rest, isWord); n > 0 {
		return s.take(identifier, n)
	}
	return false
}

func (s *scanner) takeSymbol(known []string) bool {
	for _, candidate := range known {
		if strings.HasPrefix(s.rest, candidate) {
			return s.take(symbol, len(candidate))
		}
	}
	return false
}
