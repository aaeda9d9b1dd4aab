package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// singleCellSymbols are one cell wide, whatever is beside them.
const singleCellSymbols = "✓●○✗–·→…─│╭╮╰╯▓░↑↓×›"

// Count returns the same as ansi.StringWidth. Most of what is drawn is plain text, our own symbols and colours, whose cells
// are quickly counted; everything else is measured by its grapheme clusters.
func Count(s string) int {
	width := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= ' ' && c <= '~':
			width, i = width+1, i+1
		case c == 0x1b:
			length := parseColour(s[i:]) + parseTarget(s[i:])
			if length == 0 {
				return ansi.StringWidth(s)
			}
			i += length
		case c == 0xe2 && i+3 <= len(s) && strings.Contains(singleCellSymbols, s[i:i+3]):
			width, i = width+1, i+3
		case c == 0xc2 && strings.HasPrefix(s[i:], "·"), c == 0xc3 && strings.HasPrefix(s[i:], "×"):
			width, i = width+1, i+2
		default:
			return ansi.StringWidth(s)
		}
	}
	return width
}

// parseColour returns the length of the sequence that sets a style at the beginning of s, or 0.
func parseColour(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}
