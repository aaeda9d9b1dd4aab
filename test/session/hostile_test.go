package session

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// hostile are texts that nobody means well with.
func hostile() map[string]string {
	return map[string]string{
		"escape sequences":      "\x1b[2J\x1b[31mred\x1b]0;owned\a\x1b[?1049l\x1b[?25h\x1bc",
		"a lot":                 strings.Repeat("abcdefgh", 1<<13),
		"nul bytes":             "a\x00b\x00\x00c",
		"wide characters":       strings.Repeat("日本語", 40) + "👩‍👩‍👧‍👦" + strings.Repeat("\u0301", 50),
		"the end of a paste":    "before\x1b[201~\x1b[Aafter",
		"bytes without meaning": "\xff\xfe\xc3\x28\xa0\xa1\xf0\x28\x8c\x28",
		"many lines":            strings.Repeat("line\r\n", 500),
		"right to left":         "\u202eevil\u202c\u200b\ufeff",
		"C1 controls":           "\u009b31m\u009d0;owned\u009c\u0085",
	}
}

// Whatever is pasted wherever, the screen stays the wizard's, and it can be left in order.
func TestPaste_Hostile(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := asking(t, usual())
			s.Paste(text) // a secret
			s.settle()
			s.on("Zone")
			s.Paste(text) // nothing to paste into
			s.Press("space")
			s.Paste(text) // a search
			s.Send("\x1b")
			s.stillWizard()
			s.Press("alt+1", "f1", "f1")
			s.Press("ctrl+c", "ctrl+c")
			s.Leave(0)
			s.unharmed(text)
		})
	}
}

func TestPaste_HostileIntoText(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := asking(t, usual())
			s.visit("Cluster")
			for _, row := range []string{"Cluster ID", "Base domain", "Version"} {
				s.on(row)
				s.Paste(text)
				s.Press("tab")
				s.settle()
			}
			s.stillWizard()
			s.Press("alt+3", "7")
			s.Paste(text)
			s.stillWizard()
			s.Press("ctrl+c", "ctrl+c")
			s.Leave(0)
			s.unharmed(text)
		})
	}
}

func TestPaste_Megabyte(t *testing.T) {
	t.Parallel()
	s := asking(t, usual())
	s.visit("Cluster")
	s.on("Version")
	s.Paste(strings.Repeat("abcdefgh", 1<<17))
	s.Expect("too long")
	s.leave()
}

// settle waits until everything that was typed was read, and nothing is drawn for a moment: nobody knows what such a
// paste does to the screen.
func (s *Session) settle() {
	for began := time.Now(); (s.Idle(60*time.Millisecond) > 0 || s.unread() > 0) && time.Since(began) < s.timeout; {
	}
}

// stillWizard waits for the wizard's own lines.
func (s *Session) stillWizard() {
	s.t.Helper()
	s.WaitFor("the wizard", func(screen Screen) bool {
		return strings.HasPrefix(screen.Lines[0], " OpenShift on Exoscale") && screen.Alternate && strings.Contains(screen.Lines[23], "esc")
	})
}

// unharmed demands that no control sequence of a text was drawn.
func (s *Session) unharmed(text string) {
	s.t.Helper()
	drawn := s.Transcript()
	for _, sequence := range []string{"\x1b]0;owned", "\x1bc", "\x1b[31mred", "\u009b", "\u202e", "\x00"} {
		if strings.Contains(text, sequence) && strings.Contains(drawn, sequence) {
			s.fail("%q was drawn", sequence)
		}
	}
}

// FuzzKeys presses anything on the first screens: the wizard leaves in order all the same.
func FuzzKeys(f *testing.F) {
	if _, err := program(); err != nil { // built before: within an input it would take the ten seconds that Go gives to one
		f.Fatal(err)
	}
	f.Add([]byte("\r\r\rgva\r\rc-demo-1\rexample.net\r\r\r\r\r\r\r\r"))
	f.Add([]byte("\x1bOP\x1b[A\x1b[B\x1b[5~\x1b[6~\x1b[1;3D\x1b3\x1b7\x1b8 \t\x7f"))
	f.Add([]byte("\x1b[200~abc\x1b[200~def\x1b[201~\x1b[<0;1;1M\x1b[?1;2c\x1b]11;rgb:0/0/0\x1b\\"))
	random := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		keys := make([]byte, 400)
		for i := range keys {
			keys[i] = byte(random.Uint32())
		}
		f.Add(keys)
	}
	f.Fuzz(func(t *testing.T, keys []byte) {
		s := asking(t, usual())
		s.Send(string(keys))
		s.Send("\x1b[201~") // no paste is open any more
		s.Resize(60, 18)
		s.Resize(80, 24)
		for range 6 {
			s.Press("ctrl+c")
		}
		if code := s.Exit(); code != 0 && code != 130 {
			t.Errorf("exit code %d", code)
		}
		if faults := s.kept(); len(faults) > 0 || strings.Contains(s.Transcript(), "panic:") {
			s.fail("left in disorder: %q", faults)
		}
	})
}
