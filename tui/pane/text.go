package pane

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// maxRemoteText is in bytes.
const maxRemoteText = 4096

// Sanitize makes a remote string safe: no control sequences, no control or direction-changing characters, one line, and no
// combining character at its beginning, which would change the character before it.
func Sanitize(s string) string {
	if isSanitized(s) {
		return s
	}
	if len(s) > maxRemoteText {
		s = s[:maxRemoteText] + "…"
	}
	s = ansi.Strip(strings.ToValidUTF8(s, "?"))
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			return -1
		}
		return r
	}, s)
	return strings.TrimLeftFunc(strings.Join(strings.Fields(s), " "), unicode.IsMark)
}

// isSanitized is a fast path, since most texts need no change.
func isSanitized(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return false
		}
	}
	return len(s) <= maxRemoteText
}

// Truncate shortens s, which may carry styles, to width cells.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if s = strings.ReplaceAll(s, "\n", " "); countCells(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, "…")
}

// Fit shortens or pads s to exactly width cells.
func Fit(s string, width int) string {
	s = strings.ReplaceAll(s, "\n", " ")
	taken := countCells(s)
	if taken > width {
		s = Truncate(s, width)
		taken = countCells(s)
	}
	return s + strings.Repeat(" ", max(width-taken, 0))
}

// joinEnds puts left and right at the two ends of a line; the left side is shortened.
func joinEnds(left, right string, width int) string {
	room := width - countCells(right)
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
	room := width - countCells(indent)
	if room < 4 {
		return []string{Truncate(indent+s, width)}
	}
	lines := []string{""}
	for word := range strings.FieldsSeq(s) {
		last := len(lines) - 1
		switch {
		case lines[last] == "":
			lines[last] = word
		case countCells(lines[last])+1+countCells(word) <= room:
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

// wrapIn is Wrap in one style, which begins anew on each line.
func wrapIn(style lipgloss.Style, s, indent string, width int) []string {
	lines := Wrap(s, "", width-countCells(indent))
	for i, line := range lines {
		lines[i] = indent + style.Render(line)
	}
	return lines
}

// wrapAfter wraps a text in one style behind a head that has its own; the other lines begin behind indent.
func wrapAfter(head string, style lipgloss.Style, s, indent string, width int) []string {
	room := strings.Repeat("_", max(countCells(head)-countCells(indent), 1))
	lines := Wrap(room+" "+s, "", width-countCells(indent))
	first, hung := strings.CutPrefix(lines[0], room)
	if !hung {
		return append([]string{Truncate(head, width)}, wrapIn(style, s, indent, width)...)
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

// FormatClock formats the elapsed time of a run, e.g. 00:17:42.
func FormatClock(d time.Duration) string {
	s := int(max(d, 0).Seconds())
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// FormatDuration formats a duration for people, e.g. 42s, 1m58s, 2h05m.
func FormatDuration(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%dh%02dm", h, m)
	case m > 0 && s == 0:
		return fmt.Sprintf("%dm", m)
	case m > 0:
		return fmt.Sprintf("%dm%02ds", m, s)
	}
	return fmt.Sprintf("%ds", s)
}

// Plural counts things: 1 step, 2 steps.
func Plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func toDuration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
