// Package text makes text from elsewhere safe to show: what servers, clusters and files of others say must neither steer
// a terminal nor look like something else than it is.
package text

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Option changes what Sanitize leaves of a text.
type Option func(*settings)

type settings struct {
	lines bool
	limit int // characters; 0: no limit
}

// WithLines keeps the line breaks, and the white space at the beginning of lines: for text that has to be read or copied line
// by line.
func WithLines(s *settings) { s.lines = true }

// WithLimit shortens a text to so many characters and an ellipsis.
func WithLimit(characters int) Option { return func(s *settings) { s.limit = characters } }

// sequences matches what steers terminals: CSI and OSC sequences and their like, in 7 and 8 bits.
var sequences = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]?" +
	"|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c\r\n]*(?:\x07|\x1b\\\\|\u009c)?" +
	"|\x1b[!-/]*[0-~]?")

// breaks turns whatever breaks a line into the one character that does.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n", "\v", "\n", "\f", "\n") //nolint:gochecknoglobals // a table that nothing changes

// Sanitize returns a text without terminal sequences, control characters, and characters that are invisible or change the
// direction of others, e.g. U+202E or U+200B. Bytes that are not UTF-8 become U+FFFD. It is one line, in which white space is
// one space, unless Lines is given. Sanitized once more, a text stays as it is.
func Sanitize(foreign string, options ...Option) string {
	var s settings
	for _, option := range options {
		option(&s)
	}
	cut := false
	if most := 16 * s.limit; s.limit > 0 && len(foreign) > most { // nobody waits for what is not shown
		foreign, cut = foreign[:most], true
		for size := 1; size < utf8.UTFMax && len(foreign) >= size; size++ {
			if last := foreign[len(foreign)-size:]; utf8.RuneStart(last[0]) {
				if !utf8.FullRuneInString(last) {
					foreign = foreign[:len(foreign)-size]
				}
				break
			}
		}
	}
	if !isPlain(foreign) {
		foreign = sequences.ReplaceAllString(strings.ToValidUTF8(foreign, string(utf8.RuneError)), "")
		foreign = strings.Map(replaceRune, breaks.Replace(foreign))
	}
	if s.lines {
		foreign = trimLines(foreign)
	} else {
		foreign = strings.TrimLeftFunc(strings.Join(strings.Fields(foreign), " "), isLeading)
	}
	return s.truncate(foreign, cut)
}

// isPlain tells quickly that a text holds nothing but printable ASCII, as most do.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// replaceRune maps what is not to be shown to nothing, and white space but line breaks to a space.
func replaceRune(r rune) rune {
	switch {
	case r == '\n':
		return r
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r),
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector), r == '\u2800':
		return -1
	}
	return r
}

// isLeading tells whether a character cannot begin a line: it would sit on what stands before, or is a space.
func isLeading(r rune) bool { return r == ' ' || unicode.IsMark(r) }

// trimLines takes away the white space at the end of lines, and empty lines at the beginning and the end.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.TrimLeftFunc(line, unicode.IsMark), " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// truncate applies the limit; cut: something was left out already.
func (s settings) truncate(text string, cut bool) string {
	if s.limit > 0 {
		count := 0
		for i := range text {
			if count++; count > s.limit {
				text, cut = text[:i], true
				break
			}
		}
	}
	if cut {
		return strings.TrimRight(text, " \n") + "…"
	}
	return text
}
