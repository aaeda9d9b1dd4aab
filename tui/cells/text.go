// Package cells measures, wraps and fits text in the cells of a terminal.
package cells

import (
	"strings"

	"exoshift/internal/text"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// maxRemoteText is in characters.
const maxRemoteText = 4096

// Sanitize makes a remote string safe: no control sequences, no control or direction-changing characters, one line, and no
// combining character at its beginning, which would change the character before it.
func Sanitize(foreign string) string { return text.Sanitize(foreign, text.WithLimit(maxRemoteText)) }

// Truncate shortens s, which may carry styles, to width cells.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if s = strings.ReplaceAll(s, "\n", " "); Count(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, "…")
}

// Fit shortens or pads s to exactly width cells.
func Fit(s string, width int) string {
	s = strings.ReplaceAll(s, "\n", " ")
	taken := Count(s)
	if taken > width {
		s = Truncate(s, width)
		taken = Count(s)
	}
	return s + strings.Repeat(" ", max(width-taken, 0))
}

// JoinEnds puts left and right at the two ends of a line; the left side is shortened.
func JoinEnds(left, right string, width int) string {
	room := width - Count(right)
	if right == "" || room < 8 {
		return Fit(left, width)
	}
	return Fit(left, room-1) + " " + right
}

// Wrap breaks a text at its spaces into lines of at most width cells, each behind indent, and keeps its own line breaks. Names
// and commands stay whole unless they are longer than a line.
func Wrap(s, indent string, width int) []string {
	if first, rest, more := strings.Cut(s, "\n"); more {
		return append(Wrap(first, indent, width), Wrap(rest, indent, width)...)
	}
	room := width - Count(indent)
	if room < 4 {
		return []string{Truncate(indent+s, width)}
	}
	lines := []string{""}
	for word := range strings.FieldsSeq(s) {
		last := len(lines) - 1
		switch {
		case lines[last] == "":
			lines[last] = word
		case Count(lines[last])+1+Count(word) <= room:
			lines[last] += " " + word
		default:
			lines = append(lines, word)
		}
	}
	broken := strings.Split(ansi.Hardwrap(strings.Join(lines, "\n"), room, true), "\n")
	for i, line := range broken {
		broken[i] = indent + line
	}
	return broken
}

// WrapStyled is Wrap in one style, which begins anew on each line.
func WrapStyled(style lipgloss.Style, s, indent string, width int) []string {
	lines := Wrap(s, "", width-Count(indent))
	for i, line := range lines {
		lines[i] = indent + style.Render(line)
	}
	return lines
}

// WrapAfter wraps a text in one style behind a head that has its own; the other lines begin behind indent.
func WrapAfter(head string, style lipgloss.Style, s, indent string, width int) []string {
	room := strings.Repeat("_", max(Count(head)-Count(indent), 1))
	lines := Wrap(room+" "+s, "", width-Count(indent))
	first, hung := strings.CutPrefix(lines[0], room)
	if !hung {
		return append([]string{Truncate(head, width)}, WrapStyled(style, s, indent, width)...)
	}
	for i, line := range lines[1:] {
		lines[i+1] = indent + style.Render(line)
	}
	lines[0] = head + style.Render(first)
	return lines
}

// Fill returns lines as a block of exactly width by height cells.
func Fill(lines []string, width, height int) string {
	if width <= 0 || height <= 0 {
		return ""
	}
	block := make([]string, height)
	for i := range block {
		if i < len(lines) {
			block[i] = Fit(lines[i], width)
		} else {
			block[i] = strings.Repeat(" ", width)
		}
	}
	return strings.Join(block, "\n")
}

// JoinColumns puts two columns of lines beside each other, into a block of that size.
func JoinColumns(left, right []string, leftWidth, width, height int) string {
	lines := make([]string, max(len(left), len(right)))
	for i := range lines {
		lines[i] = Fit(Line(left, i), leftWidth) + "   " + Line(right, i)
	}
	return Fill(lines, width, height)
}

// Line returns a line, or an empty one behind the last.
func Line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// WrapParts joins parts with gap between them, in lines of at most width cells. A part stays whole.
func WrapParts(parts []string, gap string, width int) []string {
	var lines []string
	for _, part := range parts {
		last := len(lines) - 1
		if last < 0 || Count(lines[last])+len(gap)+Count(part) > width {
			lines = append(lines, part)
			continue
		}
		lines[last] += gap + part
	}
	return lines
}
