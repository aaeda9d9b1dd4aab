package session

import (
	"fmt"
	"strings"
	"testing"
)

// click presses and releases the left button on the first text like that, as terminals report it to programs that asked for it.
func click(s *Session, text string) {
	s.t.Helper()
	for y, line := range s.Screen().Lines {
		if before, _, found := strings.Cut(line, text); found {
			x := len([]rune(before)) + 1
			s.write(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1))
			return
		}
	}
	s.fail("%q is not there to be clicked", text)
}

// clickUntil clicks on a key of the footer until it shows something: the run moves it when it adds other keys.
func clickUntil(s *Session, key, shown string) {
	s.t.Helper()
	s.WaitFor(shown, func(screen Screen) bool {
		if screen.Has(shown) {
			return true
		}
		if screen.Has(key) {
			click(s, key)
		} else {
			s.Press("esc") // another key was hit
		}
		s.settle()
		return s.Screen().Has(shown)
	})
}

// modes returns the modes of the terminal that the program has set.
func modes(s *Session) map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawn.modes()
}

// What the mouse does on the dashboard: panes, rows, keys, the wheel; m gives it back to the terminal.
func TestMouse_Dashboard(t *testing.T) {
	s := rehearsing(t, Options{Width: 120, Height: 40}, "--speed", "10") // it is not to end before this does
	if !modes(s)["1002"] || !modes(s)["1006"] {
		s.fail("the terminal is not asked for its mouse: %v", modes(s))
	}
	click(s, "5 nodes")
	s.Expect("[5 nodes]")
	click(s, "5 nodes")
	s.Expect("esc back", "1 of ")
	s.Press("esc")
	s.Expect("? help")
	clickUntil(s, "? help", "select a pane")
	s.Expect("mouse on or off")
	s.Press("esc")
	s.ExpectNot("select a pane")
	s.Press("m")
	s.Expect("mouse off")
	s.WaitFor("a terminal with its own mouse", func(Screen) bool { return !modes(s)["1002"] })
	s.Send("\x1b[<0;14;40M\x1b[<0;14;40m") // on 2 steps, below the notice
	s.Press("4")
	s.Expect("[4 etcd]")
	s.Press("m")
	s.Expect("mouse on")
	s.Press("4")
	s.Expect("q quit")
	clickUntil(s, "q quit", "Quit?")
	click(s, "stop and keep")
	s.Leave(130)
}

// Reports that nobody asked for, and broken ones, are neither text nor keys.
func TestMouse_ReportsWithoutMouse(t *testing.T) {
	o := usual()
	o.Env = []string{"TERM=linux"}
	s := newPlace(t).asking(t, o)
	if modes(s)["1002"] {
		s.fail("a console is asked for a mouse")
	}
	s.visit("Cluster")
	s.on("Cluster ID")
	s.Send(strings.Repeat("\x1b[<0;10;5M\x1b[<0;10;5m\x1b[<64;3;4M\x1b[M !!", 60))
	s.settle()
	s.Type("c-mouse")
	s.ExpectMatch(`Cluster ID +\[[a-z0-9-]*c-mouse[ _]`)
	s.leave()
}
