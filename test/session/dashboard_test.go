package session

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// rehearsing begins a rehearsal and waits for its dashboard.
func rehearsing(t *testing.T, o Options, args ...string) *Session {
	t.Helper()
	s := newPlace(t).start(t, o, append([]string{"rehearse", "--speed", "60"}, args...)...)
	s.Expect("RUNNING", "q quit")
	return s
}

func TestDashboard_StopFromLeaveMenu(t *testing.T) {
	s := rehearsing(t, usual())
	s.Press("q")
	s.Expect("Quit?", "cancel (default)")
	s.Press("esc")
	s.ExpectNot("Quit?")
	s.Press("ctrl+c")
	s.Expect("Quit?")
	s.Press("down", "enter")
	s.Leave(130)
	if screen := s.Screen(); !screen.Has("exoshift rehearse") || screen.Alternate {
		t.Errorf("what goes on with the run does not stay on the terminal:\n%s", screen)
	}
}

func TestDashboard_FitsEverySize(t *testing.T) {
	s := rehearsing(t, usual())
	for _, size := range [][2]int{{60, 18}, {20, 5}, {200, 60}, {1, 1}, {80, 24}} {
		s.Resize(size[0], size[1])
		s.WaitFor("a screen of the new size", func(screen Screen) bool {
			return len(screen.Lines) == size[1] && (size[0] < 20 || screen.Has("RUNNING") && screen.Lines[size[1]-1] != "")
		})
	}
	s.Press("ctrl+c", "ctrl+c")
	s.Leave(130)
}

func TestDashboard_UnknownTerminalSize(t *testing.T) {
	s := newPlace(t).start(t, Options{}, "rehearse", "--speed", "60")
	s.WaitFor("a screen of its own", func(screen Screen) bool { return screen.Alternate })
	s.Resize(80, 24)
	s.Expect("RUNNING", "q quit")
	s.Press("ctrl+c", "ctrl+c")
	s.Leave(130)
}

func TestDashboard_DumbTerminalPrintsLines(t *testing.T) {
	o := usual()
	o.Env = []string{"TERM=dumb"}
	s := newPlace(t).start(t, o, "rehearse", "--speed", "60")
	s.Expect("credentials")
	s.Signal(syscall.SIGINT)
	s.Leave(130)
	if text := s.Transcript(); strings.Contains(text, "\x1b") {
		t.Errorf("a dumb terminal is sent control sequences: %.200q", text)
	}
}

func TestDashboard_NoColor(t *testing.T) {
	o := usual()
	o.Env = []string{"NO_COLOR=1"}
	s := rehearsing(t, o)
	s.Press("ctrl+c", "ctrl+c")
	s.Leave(130)
	if text := s.Transcript(); strings.Contains(text, "\x1b[3") || strings.Contains(text, "\x1b[9") {
		t.Errorf("there is colour in spite of NO_COLOR")
	}
}

func TestDashboard_CallsWhenNeeded(t *testing.T) {
	const call = "action needed: The zone "
	for name, c := range map[string]struct {
		env, flag string
		bell      bool
		forms     int // in which the terminal is notified
		title     bool
	}{
		"as usual":        {bell: true, forms: 2, title: true},
		"without colours": {env: "NO_COLOR=1", bell: true},
		"switched off":    {flag: "--no-notify", title: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := usual()
			args := []string{"rehearse", "--speed", "60", "--scenario", "late-dns"}
			if c.env != "" {
				o.Env = append(o.Env, c.env)
			}
			if c.flag != "" {
				args = append(args, c.flag)
			}
			s := newPlace(t).start(t, o, args...)
			s.Expect("ACTION NEEDED", "c copies these lines")
			s.Press("c")
			s.Expect("copied to the clipboard")
			s.Press("ctrl+c", "ctrl+c")
			s.Leave(130)
			text := s.Transcript()
			if forms := strings.Count(text, "\x1b]9;c-demo-1: "+call) + strings.Count(text, "\x1b]777;notify;c-demo-1;"+call); forms != c.forms {
				t.Errorf("notified %d times, not %d", forms, c.forms)
			}
			if title := strings.Contains(text, "\x1b[22;2t") && strings.Contains(text, "\x1b]2;") && strings.Contains(text, "\x1b[23;2t"); title != c.title {
				t.Errorf("the window has a title: %v", title)
			}
			if bell := strings.Contains(text, "\a\x1b]9;") || c.forms == 0 && strings.Contains(withoutTitles(text), "\a"); bell != c.bell {
				t.Errorf("the bell rings: %v", bell)
			}
		})
	}
}

// withoutTitles leaves out the sequences that end with a bell, which is not heard: titles and the clipboard.
func withoutTitles(text string) string { return operatingSystemCommands.ReplaceAllString(text, "") }

var operatingSystemCommands = regexp.MustCompile("\x1b\\][^\a\x1b]*\a")

func TestDashboard_HangupStopsRun(t *testing.T) {
	s := rehearsing(t, usual())
	s.Signal(syscall.SIGHUP)
	s.Leave(130)
}

func TestDashboard_HangupEndsCleanly(t *testing.T) {
	p := newPlace(t)
	s := p.start(t, usual(), "rehearse", "--speed", "60", "--dir", "cluster")
	s.Expect("RUNNING", "q quit")
	s.HangUp()
	if code := s.Exit(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	events, err := os.ReadFile(filepath.Join(p.home, "cluster", "events.jsonl"))
	if lines := strings.Split(strings.TrimSpace(string(events)), "\n"); err != nil || !strings.Contains(lines[len(lines)-1], `"result":"interrupted"`) {
		t.Errorf("the run is not recorded to its end: %s, %v", lines[len(lines)-1], err)
	}
}
