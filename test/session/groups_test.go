package session

import "testing"

func TestGroups_AddChangeRenameRemove(t *testing.T) {
	t.Parallel()
	s := asking(t, usual())
	s.visit("Nodes")
	s.Expect("16 machines, one temporary")
	s.Press("a")
	s.Expect("New group name")
	s.Type("GPU nodes")
	s.Press("enter")
	s.Expect("Did", "ctrl+y")
	s.Press("ctrl+y", "enter")
	s.ExpectMatch(`› +gpu-nodes +\[ *1\] standard\.extra-large`)
	s.Expect("17 machines, one temporary")
	s.Press("2")
	s.Expect("18 machines, one temporary")
	s.Press("right", "space")
	s.Expect("Instance type: ")
	s.Type("huge")
	s.Press("enter")
	s.ExpectMatch(`› +gpu-nodes +2 +\[?standard\.huge`)
	s.Press("n")
	s.ExpectMatch(`\[gpu-nodes`)
	s.Press("ctrl+u")
	s.Type("fast")
	s.Press("enter")
	s.ExpectMatch(`› +fast +2 `)
	s.Press("x", "n")
	s.ExpectMatch(`› +fast +2 `)
	s.Press("x", "y")
	s.Expect("16 machines, one temporary")
	s.ExpectNot("fast")
	s.next("Network")
	s.leave()
}

func TestGroups_EnterAcceptsDefaults(t *testing.T) {
	t.Parallel()
	s := asking(t, usual())
	s.visit("Nodes")
	for range 12 {
		if s.Screen().Has(marker("Network")) {
			break
		}
		s.another("enter")
	}
	s.Expect(marker("Network"))
	s.leave()
}
