package session

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hinshun/vt10x"
)

// Screen is what somebody in front of the terminal sees.
type Screen struct {
	Lines         []string // without blanks at the end
	Title         string   // of the window
	CursorX       int
	CursorY       int
	CursorShown   bool
	Alternate     bool // the screen that programs draw on, instead of the one with the shell's lines
	Width, Height int
}

// readScreen copies the emulator's screen.
func readScreen(e vt10x.Terminal) Screen {
	e.Lock()
	defer e.Unlock()
	width, height := e.Size()
	screen := Screen{
		Title: e.Title(), CursorX: e.Cursor().X, CursorY: e.Cursor().Y, CursorShown: e.CursorVisible(),
		Alternate: e.Mode()&vt10x.ModeAltScreen != 0, Width: width, Height: height,
	}
	for y := range height {
		screen.Lines = append(screen.Lines, line(e, y, width))
	}
	return screen
}

func line(e vt10x.Terminal, y, width int) string {
	var text strings.Builder
	for x := range width {
		switch char := e.Cell(x, y).Char; char {
		case filler:
		case 0:
			text.WriteByte(' ')
		default:
			text.WriteRune(char)
		}
	}
	return strings.TrimRight(text.String(), " ")
}

// String returns the lines, one below the other.
func (s Screen) String() string { return strings.Join(s.Lines, "\n") }

// Has tells whether a text is somewhere on the screen, in one line.
func (s Screen) Has(text string) bool { return strings.Contains(s.String(), text) }

// Line returns the first line with that text, and "" if there is none.
func (s Screen) Line(text string) string {
	for _, line := range s.Lines {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// Find returns what a regular expression finds on the screen, and what its groups do; nil if it finds nothing.
func (s Screen) Find(expression string) []string {
	return regexp.MustCompile(expression).FindStringSubmatch(s.String())
}

// framed is the screen for the message of a failed test.
func (s Screen) framed() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%dx%d, cursor at %d,%d\n", s.Width, s.Height, s.CursorX, s.CursorY)
	for _, line := range s.Lines {
		text.WriteString("│" + line + "\n")
	}
	return text.String()
}
