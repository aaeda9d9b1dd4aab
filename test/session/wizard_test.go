package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// screens are the wizard's, as its strip names them.
func screens() []string {
	return []string{"Access", "Cluster", "Nodes", "Network", "Syn", "Secrets", "Checks", "Review"}
}

// marker is how the strip shows that a screen is in front.
func marker(screen string) string {
	return fmt.Sprintf("[%d %s", slices.Index(screens(), screen)+1, screen)
}

// asking begins the questions of a rehearsal and waits for the first screen.
func asking(t testing.TB, o Options, args ...string) *Session {
	t.Helper()
	return newPlace(t).asking(t, o, args...)
}

func (p place) asking(t testing.TB, o Options, args ...string) *Session {
	t.Helper()
	s := p.start(t, o, append([]string{"rehearse", "--interactive", "--dir", "demo"}, args...)...)
	s.Expect(marker("Access"))
	return s
}

// another presses a key and waits until the screen is another one.
func (s *Session) another(key string) time.Duration {
	s.t.Helper()
	before, began := s.Screen().String(), time.Now()
	s.Press(key)
	s.WaitFor("another screen after "+key, func(screen Screen) bool { return screen.String() != before })
	return time.Since(began)
}

// selected tells whether the cursor is on the row with that text.
func selected(screen Screen, text string) bool {
	return screen.Find(`› *(\S +)?`+text) != nil
}

// on moves the cursor to the row with that text.
func (s *Session) on(text string) {
	s.t.Helper()
	for range 40 {
		screen := s.WaitFor("a row with the cursor", func(screen Screen) bool { return cursor(screen) != "" })
		if selected(screen, text) {
			return
		}
		way := "down"
		if screen.above(text) {
			way = "up"
		}
		s.Press(way)
		s.WaitFor("another row with the cursor", func(now Screen) bool { return !slices.Contains([]string{cursor(screen), ""}, cursor(now)) })
	}
	s.fail("there is no row %q", text)
}

// above tells whether that text begins a row above the cursor.
func (s Screen) above(text string) bool {
	row := slices.IndexFunc(s.Lines, func(line string) bool { return Screen{Lines: []string{line}}.Find(`^ +`+text) != nil })
	return row >= 0 && row < slices.IndexFunc(s.Lines, func(line string) bool { return strings.Contains(line, "›") })
}

// cursor is the name of the row that has it. Which line that is would not do: rows move when a message below one comes
// or goes, and a key that is still on its way would be pressed once more.
func cursor(screen Screen) string {
	found := screen.Find(`(?m)› *(\S +)?(.*?)( {2}|$)`)
	if found == nil {
		return ""
	}
	return found[2]
}

// next accepts what a screen shows and goes on to another.
func (s *Session) next(to string) {
	s.t.Helper()
	s.on(`\[ Next`)
	s.Press("enter")
	s.Expect(marker(to))
}

// name answers the questions that have no default, as somebody does who reads them from the top.
func (s *Session) name(zone string) {
	s.t.Helper()
	s.on("Zone")
	s.Type(zone)
	s.Expect("/" + zone)
	s.Press("enter")
	s.ExpectMatch(`Zone +` + zone)
	s.next("Cluster")
	s.on("Cluster ID")
	s.Type("c-demo-1")
	s.Press("enter")
	s.ExpectMatch(`› Base domain`)
	s.Type("example.net")
	s.Press("enter")
	s.ExpectMatch(`Base domain +example.net`)
}

// visit goes to a screen by the shortest way; what has to be answered before is answered.
func (s *Session) visit(screen string) {
	s.t.Helper()
	at := slices.Index(screens(), screen)
	if at > 0 {
		s.name("ch-gva-2")
	}
	for i := 2; i <= at; i++ {
		if i == 7 {
			s.mayGoOn()
			s.Press("enter")
			s.Expect(marker("Review"), "[ Rehearse:")
			return
		}
		s.next(screens()[i])
	}
}

// mayGoOn waits until the checks are over and nothing is in the way: on a busy machine a way may be a slow one.
func (s *Session) mayGoOn() {
	s.t.Helper()
	s.ExpectMatch(`CHECKS PASSED|CHECKS PASSED WITH WARNINGS`)
}

// leave leaves the wizard with its draft kept.
func (s *Session) leave() {
	s.t.Helper()
	s.Press("ctrl+c")
	s.Expect("Quit the wizard?")
	s.Press("ctrl+c")
	s.Leave(0)
}
