package session

import (
	"testing"
)

func TestARehearsalIsStoppedFromTheLeaveMenu(t *testing.T) {
	s := newPlace(t).start(t, usual(), "rehearse", "--speed", "60")
	s.Expect("WAITING UNTIL")
	s.Press("q")
	s.Expect("Leave?", "go back (default)")
	s.Press("esc")
	s.ExpectNot("Leave?")
	s.Press("ctrl+c")
	s.Expect("Leave?")
	s.Press("down", "enter")
	s.Leave(130)
	s.Expect("rehearse")
}
