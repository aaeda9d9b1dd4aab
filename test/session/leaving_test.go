package session

import (
	"strings"
	"syscall"
	"testing"
)

func TestLeave_CtrlCOnEveryScreen(t *testing.T) {
	for _, screen := range screens() {
		t.Run(screen, func(t *testing.T) {
			t.Parallel()
			s := asking(t, usual())
			s.visit(screen)
			s.Press("f1")
			s.Press("ctrl+c")
			s.Expect("Quit the wizard?", "cancel (default)")
			s.Press("enter")
			s.ExpectNot("Quit the wizard?")
			s.leave()
			if s.Screen().Alternate {
				t.Error("the terminal shows the wizard's screen still")
			}
		})
	}
}

func TestLeave_CtrlCInOpenDialogs(t *testing.T) {
	t.Parallel()
	for open, keys := range map[string][]string{
		"a list":                          {"down", "down", "enter"},
		"a list of sources":               {"space"},
		"a secret":                        {"space", "enter", "x"},
		"help":                            {"f1"},
		"an explanation of the question,": {"alt+left"},
		"a text":                          {"down", "down", "enter", "g"},
		"what cannot be known":            {"alt+9", "alt+0", "f12"},
	} {
		t.Run(open, func(t *testing.T) {
			t.Parallel()
			s := asking(t, usual())
			for _, key := range keys {
				s.Press(key)
				s.settle()
			}
			s.Press("ctrl+c", "ctrl+c")
			s.Leave(0)
		})
	}
}

func TestLeave_CtrlCDuringChecks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.asking(t, usual())
	s.visit("Secrets")
	s.on(`\[ Next`)
	s.Press("enter", "ctrl+c", "ctrl+c")
	s.Leave(0)
}

func TestLeave_StartScreen(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "esc", "ctrl+c", "4"} {
		s := newPlace(t).start(t, usual(), "install")
		s.Expect("What would you like to do?", "4  Quit")
		s.Press(key)
		s.Leave(0)
	}
}

func TestLeave_SignalsKeepDraft(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		p := newPlace(t)
		s := p.asking(t, usual())
		s.on("Zone")
		s.Type("hr-zag-1")
		s.Press("enter")
		s.ExpectMatch(`Zone +hr-zag-1`)
		s.Signal(signal)
		s.Leave(130)
		again := p.askingOn(t, "Cluster")
		again.ExpectMatch(`Zone +hr-zag-1`)
		again.leave()
	}
}

func TestWizard_DumbTerminalAsksByLine(t *testing.T) {
	t.Parallel()
	o := usual()
	o.Env = []string{"TERM=dumb"}
	s := newPlace(t).start(t, o, "rehearse", "--interactive")
	s.Expect("API key, a number")
	s.Type(":quit\r")
	s.Exit()
	if text := s.Transcript(); strings.Contains(text, "\x1b") {
		t.Errorf("a dumb terminal is sent control sequences: %q", text)
	}
}
