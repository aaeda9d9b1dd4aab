// Package text sanitizes foreign text: output of servers, clusters and files must neither control a terminal nor be displayed
// as something else than it is.
package text

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Option configures Sanitize.
type Option func(*settings)

type settings struct {
	lines bool
	limit int // characters; 0: no limit
}

// WithLines keeps line breaks and the indentation of lines.
func WithLines(s *settings) { s.lines = true }

// WithLimit truncates a text to that number of characters, followed by an ellipsis.
func WithLimit(characters int) Option { return func(s *settings) { s.limit = characters } }

// sequences matches CSI, OSC and similar sequences, in their 7-bit and 8-bit forms.
var sequences = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]?" +
	"|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c\r\n]*(?:\x07|\x1b\\\\|\u009c)?" +
	"|\x1b[!-/]*[0-~]?")

var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n", "\v", "\n", "\f", "\n") //nolint:gochecknoglobals // a table that nothing changes

// Sanitize returns a text without terminal sequences, control characters, and characters that are invisible or change the
// direction of others, e.g. U+202E or U+200B. Bytes that are not UTF-8 become U+FFFD. The result is one line with white space
// collapsed, unless WithLines is given. Sanitize is idempotent.
func Sanitize(foreign string, options ...Option) string {
	var s settings
	for _, option := range options {
		option(&s)
	}
	cut := false
	if most := 16 * s.limit; s.limit > 0 && len(foreign) > most { // only the part that can be shown is processed
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

// isPlain is a fast path: most texts are printable ASCII.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

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

// isLeading reports whether a character must not begin a line: a mark would combine with the text before it.
func isLeading(r rune) bool { return r == ' ' || unicode.IsMark(r) }

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		lines[i] = strings.TrimRight(indent+strings.TrimLeftFunc(line, isLeading), " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

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
