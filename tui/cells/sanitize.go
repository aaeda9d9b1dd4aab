package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// SanitizeLines keeps the lines of a hint apart: some are commands to be copied.
func SanitizeLines(s string, ascii bool) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = SanitizeText(line, ascii); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// SanitizeText sanitizes remote text for a terminal, which may know ASCII only.
func SanitizeText(s string, ascii bool) string {
	if s = Sanitize(s); ascii {
		return ToASCII(s)
	}
	return s
}

// ToASCII replaces what an ASCII terminal cannot show, cell by cell, so that no line changes its length.
func ToASCII(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			return r
		case ansi.StringWidth(string(r)) == 0:
			return -1
		}
		return ToASCIIRune(r)
	}, s)
}

// ToASCIIRune returns what an ASCII terminal shows in the place of r.
func ToASCIIRune(r rune) rune {
	switch r {
	case '…':
		return '~'
	case '·', '–', '─':
		return '-'
	case '×':
		return 'x'
	case '→', '›', '▸':
		return '>'
	case '↑':
		return '^'
	case '↓', '▾':
		return 'v'
	case '•':
		return '*'
	case '│':
		return '|'
	case '▓':
		return '#'
	case '░':
		return '.'
	}
	return '?'
}
