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

// writeCast writes a recording, and the names and moments in milliseconds of its stills.
func writeCast(dir string, s *Session, c Cast) error {
	file, err := os.Create(filepath.Join(dir, "install.cast"))
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
	return os.WriteFile(filepath.Join(dir, "stills"), stills, 0o600)
}

// shownPlace is a place that may be seen.
func shownPlace(t *testing.T) place {
	t.Helper()
	if err := os.Mkdir(shown, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(shown) })
	p := place{filepath.Join(shown, "home"), filepath.Join(shown, "state"), filepath.Join(shown, "tmp")}
	for _, dir := range []string{p.home, p.state, p.temporary} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestThePicturesAreRecorded(t *testing.T) {
	if *record == "" {
		t.Skip("make record records them")
	}
	s := shownPlace(t).start(t, Options{Width: 110, Height: 32, Patience: 2 * time.Minute}, "rehearse", "--speed", "300")
	s.Expect("WAITING UNTIL")
	s.Mark("dashboard")
	s.Expect("DONE")
	s.Press("q")
	s.Leave(0)
	if err := writeCast(*record, s, Cast{Width: 110, Height: 32, Longest: time.Second, Frame: 300 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
}
