package app

import (
	"io"
	"os"
	"strings"

	"exoshift/tui/cells"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/term"
)

// ClickMsg is a click of the left button on a target, see cells.MarkTarget. One on a key is sent as that key.
type ClickMsg struct{ Target string }

// WheelMsg is a turn of the wheel over a target, or over none.
type WheelMsg struct {
	By     int // notches, negative for up
	Target string
}

// MouseMsg is sent after the mouse was switched on or off.
type MouseMsg struct{ On bool }

// Describe returns what has changed for the operator.
func (m MouseMsg) Describe() string {
	if m.On {
		return "mouse on: click and wheel"
	}
	return "mouse off: the terminal selects text"
}

type toggleMouseMsg struct{}

// ToggleMouse switches the mouse off, so that the terminal itself selects text, or on again.
func ToggleMouse() tea.Msg { return toggleMouseMsg{} }

// HasMouse reports whether a terminal may have a mouse.
func HasMouse(out io.Writer) bool {
	file, is := out.(*os.File)
	name := os.Getenv("TERM")
	return is && term.IsTerminal(int(file.Fd())) && name != "dumb" && name != "linux"
}

// toggleMouse has the terminal report its mouse, or not.
func (r *root) toggleMouse() tea.Cmd {
	r.mouse = !r.mouse
	_, cmd := r.screen.Update(MouseMsg{r.mouse})
	if r.mouse {
		return tea.Batch(cmd, tea.EnableMouseCellMotion)
	}
	return tea.Batch(cmd, tea.DisableMouse)
}

// translateMouse returns what a report of the mouse means to the screen; nil for nothing. Reports that nobody asked for mean nothing.
func (r *root) translateMouse(m tea.MouseMsg) tea.Msg {
	at := r.targets.At(m.X, m.Y)
	switch {
	case !r.mouse || m.Action != tea.MouseActionPress:
	case m.Button == tea.MouseButtonWheelUp:
		return WheelMsg{-1, at}
	case m.Button == tea.MouseButtonWheelDown:
		return WheelMsg{1, at}
	case m.Button != tea.MouseButtonLeft || at == "":
	default:
		if name, is := strings.CutPrefix(at, cells.KeyTarget); is {
			return parseKey(name)
		}
		return ClickMsg{at}
	}
	return nil
}

// parseKey returns the key of a name, as key bindings have it; nil if it is unknown.
func parseKey(name string) tea.Msg {
	plain, alt := strings.CutPrefix(name, "alt+")
	if runes := []rune(plain); len(runes) == 1 && plain != " " {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: runes, Alt: alt}
	}
	for kind := tea.KeyType(-128); kind < 128; kind++ {
		if k := (tea.KeyMsg{Type: kind}); kind != tea.KeyRunes && k.String() == plain {
			k.Alt = alt
			if kind == tea.KeySpace {
				k.Runes = []rune{' '}
			}
			return k
		}
	}
	return nil
}

// Keys returns the keys that a notch of the wheel stands for where it moves a cursor or a text.
func (m WheelMsg) Keys(times int) []tea.KeyMsg {
	k := tea.KeyMsg{Type: tea.KeyDown}
	if m.By < 0 {
		k.Type = tea.KeyUp
	}
	var keys []tea.KeyMsg
	for range times {
		keys = append(keys, k)
	}
	return keys
}

// findPartialReport returns where a report of the mouse begins that is not whole at the end of what was read; len(read) if there is none.
func findPartialReport(read []byte) int {
	from := strings.LastIndexByte(string(read), 0x1b)
	if from < 0 {
		return len(read)
	}
	tail := string(read[from:])
	if rest, is := strings.CutPrefix(tail, "\x1b[<"); is && strings.Trim(rest, "0123456789;") == "" && len(rest) <= maxReport {
		return from
	}
	return len(read)
}

// maxReport is longer than the numbers of any report.
const maxReport = 20
