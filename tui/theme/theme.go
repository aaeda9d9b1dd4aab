// Package theme holds the styles and symbols of the screens, and the statuses that they show.
package theme

import (
	"io"
	"os"
	"strings"

	_ "exoshift/tui/background" // before lipgloss asks the terminal for its colours

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Theme holds every style and symbol of the screens.
type Theme struct {
	Plain, Bold, Dim          lipgloss.Style
	Label, Border, Focus      lipgloss.Style
	Good, Active              lipgloss.Style
	Caution, Bad, Selected    lipgloss.Style
	ASCII                     bool
	Mouse                     bool // what can be clicked is marked, see cells.MarkTarget
	Marks                     [6]string
	Horizontal, Vertical      string
	Corners                   [4]string // top left, top right, bottom left, bottom right
	Arrow, Dot, Times, Cursor string
	Full, free                string // of a bar
}

// New builds the styles for a terminal with the given colours. With ascii every symbol has its ASCII twin.
func New(profile termenv.Profile, palette Palette, ascii bool) Theme {
	renderer := lipgloss.NewRenderer(io.Discard)
	renderer.SetColorProfile(profile)
	renderer.SetHasDarkBackground(true)
	style := renderer.NewStyle
	t := Theme{
		Plain: style(), Bold: style().Bold(true), Dim: style().Faint(true),
		Label: style().Foreground(palette.Accent).Bold(true), Border: style().Faint(true),
		Focus: style().Foreground(palette.Active).Bold(true),
		Good:  style().Foreground(palette.Good), Active: style().Foreground(palette.Active),
		Caution: style().Foreground(palette.Caution), Bad: style().Foreground(palette.Bad).Bold(true),
		Selected: style().Reverse(true).Bold(true),
	}
	return t.withSymbols(ascii)
}

// Detect returns the theme for an output: without colours unless it is a terminal that has them.
func Detect(out io.Writer, noColor, ascii bool) Theme {
	profile := termenv.Ascii
	if !noColor && out != nil {
		profile = termenv.NewOutput(out).EnvColorProfile()
	}
	return New(profile, selectPalette(profile, os.Getenv("COLORFGBG")), ascii)
}

func (t Theme) withSymbols(ascii bool) Theme {
	if t.ASCII = ascii; ascii {
		t.Marks = [...]string{"[  ]", "[..]", "[ok]", "[!!]", "[XX]", "[--]"}
		t.Horizontal, t.Vertical, t.Corners = "-", "|", [4]string{"+", "+", "+", "+"}
		t.Arrow, t.Dot, t.Times, t.Cursor = ">", "-", "x", ">"
		t.Full, t.free = "#", "."
		return t
	}
	t.Marks = [...]string{"○", "●", "✓", "!", "✗", "–"}
	t.Horizontal, t.Vertical, t.Corners = "─", "│", [4]string{"╭", "╮", "╰", "╯"}
	t.Arrow, t.Dot, t.Times, t.Cursor = "→", "·", "×", "›"
	t.Full, t.free = "▓", "░"
	return t
}

// Status is the state of anything shown: it has a symbol, a word and a colour, always all three.
type Status int

// The statuses.
const (
	Waiting Status = iota
	Running
	OK
	Warn
	Failed
	Skipped
)

// Word returns the status in one word.
func (s Status) Word() string {
	return [...]string{"waiting", "running", "ok", "warn", "failed", "skipped"}[s]
}

// Urgency orders things: failures first, what is ok last.
func (s Status) Urgency() int { return [...]int{3, 2, 4, 1, 0, 5}[s] }

// Style returns the colour of a status.
func (t Theme) Style(s Status) lipgloss.Style {
	return [...]lipgloss.Style{t.Dim, t.Active, t.Good, t.Caution, t.Bad, t.Dim}[s]
}

// Mark returns the coloured symbol of a status; all marks of a theme are equally wide.
func (t Theme) Mark(s Status) string { return t.Style(s).Render(t.Marks[s]) }

// Indent is as wide as a mark and the space behind it.
func (t Theme) Indent() string { return strings.Repeat(" ", 1+len([]rune(t.Marks[0]))) }

// RenderRule returns a horizontal line.
func (t Theme) RenderRule(width int) string {
	return t.Border.Render(strings.Repeat(t.Horizontal, max(width, 0)))
}

// RenderWall returns one cell of a vertical line.
func (t Theme) RenderWall() string { return t.Border.Render(t.Vertical) }

// Join puts a dot between the parts that are not empty.
func (t Theme) Join(parts ...string) string {
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, t.Dim.Render(" "+t.Dot+" "))
}

// MarkCell returns the mark of a status without its colour.
func (t Theme) MarkCell(s Status) string {
	if t.ASCII {
		return [...]string{".", "*", "+", "!", "X", "-"}[s]
	}
	return t.Marks[s]
}

// RenderFilter draws the word of a filter, with a cursor while it is typed.
func (t Theme) RenderFilter(word string, typing bool) string {
	cursor := ""
	if typing {
		cursor = t.Selected.Render(" ")
	}
	return t.Label.Render("/") + word + cursor
}

// RenderBar draws a progress bar.
func (t Theme) RenderBar(percent, width int) string {
	full := percent * width / 100
	return t.Good.Render(strings.Repeat(t.Full, full)) + t.Dim.Render(strings.Repeat(t.free, width-full))
}
