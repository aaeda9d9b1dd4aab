package app

import (
	"io"
	"strings"
	"testing"

	"exoshift/tui/cells"

	tea "github.com/charmbracelet/bubbletea"
)

// targetScreen has one key and one row, and keeps what it is sent.
type targetScreen struct{ got []tea.Msg }

func (s *targetScreen) Init() tea.Cmd { return nil }
func (s *targetScreen) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	s.got = append(s.got, m)
	return s, nil
}
func (s *targetScreen) View() string {
	return cells.MarkTarget("key:ctrl+c", "quit") + " " + cells.MarkTarget("row:1", "first")
}

func TestRoot_Mouse(t *testing.T) {
	screen := &targetScreen{}
	r := &root{screen: screen, mouse: true}
	if view := r.View(); view != "quit first" {
		t.Errorf("%q", view)
	}
	press := func(x int, button tea.MouseButton) {
		r.Update(tea.MouseMsg{X: x, Button: button, Action: tea.MouseActionPress})
	}
	press(0, tea.MouseButtonLeft)
	press(5, tea.MouseButtonLeft)
	press(4, tea.MouseButtonLeft)
	press(5, tea.MouseButtonRight)
	press(5, tea.MouseButtonWheelUp)
	r.Update(tea.MouseMsg{X: 5, Button: tea.MouseButtonLeft, Action: tea.MouseActionRelease})
	want := []tea.Msg{tea.KeyMsg{Type: tea.KeyCtrlC}, ClickMsg{"row:1"}, WheelMsg{-1, "row:1"}}
	if len(screen.got) != len(want) {
		t.Fatalf("%v", screen.got)
	}
	for i := range want {
		if k, is := screen.got[i].(tea.KeyMsg); is && k.String() == "ctrl+c" && i == 0 {
			continue
		}
		if screen.got[i] != want[i] {
			t.Errorf("%d: %#v, not %#v", i, screen.got[i], want[i])
		}
	}
	screen.got = nil
	r.Update(ToggleMouse())
	press(5, tea.MouseButtonLeft)
	if len(screen.got) != 1 || screen.got[0] != (MouseMsg{false}) {
		t.Errorf("with the mouse off: %v", screen.got)
	}
}

func TestParseKey_NamesOfBindings(t *testing.T) {
	for _, name := range []string{"enter", "esc", "tab", "shift+tab", " ", "ctrl+c", "ctrl+r", "f1", "f9", "alt+3", "/", "G", "pgup", "up", "home", "alt+left"} {
		if k, is := parseKey(name).(tea.KeyMsg); !is || k.String() != name {
			t.Errorf("%q: %v", name, parseKey(name))
		}
	}
	if k := parseKey("arrows"); k != nil {
		t.Errorf("a hint that is no key: %v", k)
	}
}

// chunks is read piece by piece.
type chunks []string

func (c *chunks) Read(p []byte) (int, error) {
	if len(*c) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*c)[0])
	*c = (*c)[1:]
	return n, nil
}

func TestKeyReader_ReportsWhole(t *testing.T) {
	r := newKeyReader(&chunks{"a\x1b[<0;1", "0;5M\x1b[<6", "4;1;1", "Mb", "\x1b", "\x1b[<", "\x1b[A"}, func(tea.Msg) {})
	var pieces []string
	buffer := make([]byte, 256)
	for {
		n, err := r.Read(buffer)
		if n > 0 {
			pieces = append(pieces, string(buffer[:n]))
		}
		if err == io.EOF {
			break
		}
	}
	if want := "a|\x1b[<0;10;5M|\x1b[<64;1;1Mb|\x1b|\x1b[<\x1b[A"; strings.Join(pieces, "|") != want {
		t.Errorf("%q", pieces)
	}
}
