package session

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var record = flag.String("record", "", "the folder to write a recording to")

// shown is where the recorded session takes place. It is seen in the pictures, so it belongs to no machine.
const shown = "/tmp/exoshift-demo"

// writeCast writes a recording NAME.cast, and NAME.stills with the names and moments in milliseconds of its stills.
func writeCast(dir, recording string, s *Session, c Cast) error {
	file, err := os.Create(filepath.Join(dir, recording+".cast"))
	if err != nil {
		return err
	}
	marks, err := s.Record(file, c)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	var stills []byte
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		stills = fmt.Appendf(stills, "%s %d\n", name, marks[name].Milliseconds()+1)
	}
	return os.WriteFile(filepath.Join(dir, recording+".stills"), stills, 0o600)
}

// shownPlace is a place that may be seen.
func shownPlace(t *testing.T) place {
	t.Helper()
	if err := os.Mkdir(shown, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(shown) })
	p := place{shown, filepath.Join(shown, "state"), filepath.Join(shown, "tmp")}
	for _, dir := range []string{p.state, p.temporary} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestRecord_Pictures(t *testing.T) {
	if *record == "" {
		t.Skip("make record records them")
	}
	o := Options{Width: 110, Height: 32, Timeout: 2 * time.Minute}
	c := Cast{Width: o.Width, Height: o.Height, Longest: 3 * time.Second, Slide: 3 * time.Second}
	p := shownPlace(t)
	install := p.asking(t, o, "--speed", "150")
	install.ExpectMatch("✓ Credentials: accepted")
	install.tellAnswers()
	install.tellRun()
	install.Expect("Open the wizard with them now?")
	install.Press("enter")
	install.Leave(0)
	start := p.start(t, o, "install")
	start.Expect("What would you like to do?")
	start.still("start", 0)
	start.Press("q")
	start.Leave(0)
	check := p.start(t, o, "check", "--simulate", "--scenario", "tls-interception", "--zone", "ch-gva-2")
	check.ExpectMatch(`run \d\d:\d\d`)
	check.Expect("enter details", "✗")
	check.still("check", 0)
	check.Press("enter")
	check.Expect("esc back")
	check.still("check-details", 0)
	check.Press("esc")
	check.Expect("q quit")
	check.Press("q")
	check.Exit()
	for name, s := range map[string]*Session{"install": install, "start": start, "check": check} {
		if err := writeCast(*record, name, s, c); err != nil {
			t.Fatal(err)
		}
	}
}

// slowly types as people do.
func (s *Session) slowly(text string) {
	for _, letter := range text {
		s.Type(string(letter))
		s.Idle(90 * time.Millisecond)
	}
	s.Idle(400 * time.Millisecond)
}

// still waits until there is something to read, keeps it as a picture, and gives time to read it.
func (s *Session) still(name string, span time.Duration) {
	s.Idle(300 * time.Millisecond)
	s.Mark(name)
	s.Idle(span)
}

func (s *Session) tellAnswers() {
	s.t.Helper()
	s.on("Zone")
	s.Idle(time.Second)
	s.Press("enter")
	s.Expect("type to search")
	s.slowly("gva")
	s.Press("enter")
	s.ExpectMatch("Zone +ch-gva-2")
	s.next("Cluster")
	s.on("Cluster ID")
	s.slowly("c-demo-1")
	s.Press("enter")
	s.ExpectMatch("› Base domain")
	s.slowly("example.net")
	s.Press("enter")
	s.Expect("the ID is free")
	s.still("cluster", 0)
	s.next("Nodes")
	s.on("Workers")
	s.Idle(time.Second)
	for _, key := range []string{"+", "+", "-", "-"} {
		s.Press(key)
		s.Idle(800 * time.Millisecond)
	}
	s.still("nodes", time.Second)
	s.next("Network")
	s.still("network", 2*time.Second)
	s.next("Syn")
	s.Idle(700 * time.Millisecond)
	s.next("Secrets")
	s.Idle(700 * time.Millisecond)
	s.next("Checks")
	s.Expect("CHECKS PASSED")
	s.still("checks", 1500*time.Millisecond)
	s.Press("enter")
	s.Expect("[ Rehearse:")
	s.still("review", 2*time.Second)
	for range 12 {
		s.Press("down")
		s.Idle(120 * time.Millisecond)
	}
	s.still("architecture", 2*time.Second)
	s.another("tab")
	s.Idle(700 * time.Millisecond)
}

func (s *Session) tellRun() {
	s.t.Helper()
	s.Press("enter")
	s.ExpectMatch(`master-1 +voter`)
	s.still("dashboard", 0)
	s.Press("5", "enter")
	s.Expect("1 of 13", "esc back")
	s.Press("enter")
	s.Expect("tab next")
	s.still("details", 0)
	s.Press("esc")
	s.ExpectNot("tab next")
	s.Press("esc")
	s.ExpectNot("esc back")
	s.Press("1")
	s.Expect("DONE")
	s.still("done", 3*time.Second)
	s.Press("q")
}
