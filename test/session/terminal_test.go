package session

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// An interview goes on whatever becomes of its terminal's size.
func TestWizard_FitsEverySize(t *testing.T) {
	for _, screen := range screens() {
		t.Run(screen, func(t *testing.T) {
			t.Parallel()
			s := asking(t, usual())
			s.visit(screen)
			for _, size := range [][2]int{{60, 18}, {20, 5}, {1, 1}, {200, 60}, {100, 30}, {80, 24}} {
				s.Resize(size[0], size[1])
				s.WaitFor("a screen of the new size", func(now Screen) bool {
					return len(now.Lines) == size[1] && (size[0] < 60 || strings.Contains(now.Lines[size[1]-1], "esc"))
				})
				if size[0] >= 60 {
					s.Press("f1")
					s.Press("f1")
				}
			}
			s.Expect(marker(screen))
			s.leave()
		})
	}
}

func TestWizard_WaitsForTerminalSize(t *testing.T) {
	t.Parallel()
	s := newPlace(t).start(t, Options{}, "rehearse", "--interactive", "--dir", "demo")
	s.WaitFor("a screen of its own", func(screen Screen) bool { return screen.Alternate })
	s.Press("f1", "esc", "x", "enter", "alt+3")
	s.Resize(80, 24)
	s.Expect("Access")
	s.Resize(0, 0)
	s.Press("up", "down")
	s.Resize(100, 30)
	s.Expect("Access")
	s.leave()
}

func TestWizard_NoColor(t *testing.T) {
	t.Parallel()
	o := usual()
	o.Env = []string{"NO_COLOR=1"}
	s := asking(t, o)
	s.leave()
	if text := s.Transcript(); strings.Contains(text, "\x1b[3") || strings.Contains(text, "\x1b[9") {
		t.Error("there is colour in spite of NO_COLOR")
	}
}

func TestWizard_RequiresTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"install", "plan"} {
		command := exec.CommandContext(t.Context(), path, verb)
		command.Dir, command.Env = p.home, p.environment()
		output, err := command.CombinedOutput()
		if err == nil || command.ProcessState.ExitCode() != 2 || !strings.Contains(string(output), "cluster.id") {
			t.Errorf("%s without a terminal: %v\n%s", verb, err, output)
		}
		if strings.Contains(string(output), "\x1b") {
			t.Errorf("%s draws into a pipe: %q", verb, output)
		}
	}
	if left, err := os.ReadDir(p.state); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

func TestWizard_HangupKeepsDraft(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.asking(t, usual())
	s.on("Zone")
	s.Type("bg-sof-1")
	s.Press("enter")
	s.ExpectMatch(`Zone +bg-sof-1`)
	s.HangUp()
	if code := s.Exit(); code != 0 && code != 130 {
		t.Errorf("exit code %d", code)
	}
	again := p.askingOn(t, "Cluster")
	again.ExpectMatch(`Zone +bg-sof-1`)
	again.leave()
}

func TestWizard_NoRedrawWithoutChange(t *testing.T) {
	t.Parallel()
	s := asking(t, usual())
	s.Expect("accepted")
	drawn := s.Idle(2 * time.Second)
	for began := time.Now(); drawn > 0; { // marks are seen for a moment, and on a busy machine for longer
		if time.Since(began) > 10*time.Minute {
			t.Fatalf("%d bytes were drawn", drawn)
		}
		drawn = s.Idle(1500 * time.Millisecond)
	}
	s.leave()
}
