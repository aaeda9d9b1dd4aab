package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shell runs a script on a terminal.
func shell(t *testing.T, script string) *Session {
	t.Helper()
	return Start(t, Options{Program: "/bin/sh", Args: []string{"-c", script}, Env: []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}, Width: 40, Height: 5})
}

func TestDriver_KeySequences(t *testing.T) {
	for key, want := range map[string]string{
		"enter": "^M", "tab": "^I", "esc": "^[", "up": "^[[A", "f1": "^[OP", "ctrl+c": "^C", "alt+2": "^[2", "alt+left": "^[[1;3D", "q": "q",
	} {
		s := shell(t, "stty raw -echo; echo ready; exec cat -vT")
		s.Expect("ready")
		s.Press(key)
		s.Expect(want)
	}
	if _, err := sequence("hyper+q"); err == nil {
		t.Error("a key that does not exist is pressed")
	}
}

func TestDriver_BracketedPaste(t *testing.T) {
	s := shell(t, "stty raw -echo; echo ready; exec cat -vT")
	s.Expect("ready")
	s.Paste("two words")
	s.Expect("^[[200~two words^[[201~")
}

func TestDriver_WideCharacters(t *testing.T) {
	s := shell(t, `printf '日本x\033[1;3Hy'`)
	s.Leave(0)
	if diff := cmp.Diff("日yx", s.Screen().Lines[0]); diff != "" {
		t.Errorf("the screen (-want +got):\n%s", diff)
	}
}

func TestDriver_CompleteFramesOnly(t *testing.T) {
	s := shell(t, `stty -echo; printf '\033[?1049h\033[2J\033[Hfirst\033[5;H'; read wait
		printf '\033[Hsecond'; read wait
		printf ' frame\033[5;H'; read wait
		printf '\033[Hthe only line\033[J\033[H'; read wait
		printf '\033[?1049l'; stty echo`)
	s.Expect("first")
	s.Press("enter")
	s.WaitFor("half of a frame, drawn but not seen", func(screen Screen) bool {
		return strings.HasSuffix(s.Transcript(), "second") && screen.Has("first")
	})
	s.Press("enter")
	s.Expect("second frame")
	s.Press("enter")
	s.Expect("the only line")
	s.Press("enter")
	s.Leave(0)
}

func TestDriver_NamesUnrestoredModes(t *testing.T) {
	for script, want := range map[string]string{
		`printf '\033[?1049h\033[?25l'; printf '\033[?1049l\033[?25h'`: "",
		`printf '\033[?1049h'`:             "mode 1049 is true",
		`printf '\033[?25l'`:               "mode 25 is false",
		`printf '\033[?2004;1006h'`:        "mode 1006 is true; mode 2004 is true",
		`stty -echo`:                       "its settings are",
		`printf '\033[?1049h'; stty -echo`: "mode 1049 is true; its settings are",
	} {
		s := shell(t, script)
		s.Exit()
		got := strings.Join(s.kept(), "; ")
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, not %q", script, got, want)
		}
	}
}

func TestDriver_CountsAnswersPerField(t *testing.T) {
	s := shell(t, "stty raw -echo; echo ready; exec cat -vT")
	s.Expect("ready")
	s.Press("enter", "tab", "f1", "esc")
	if s.Answers() != 0 {
		t.Errorf("%d answers by accepting defaults", s.Answers())
	}
	s.Type("c-demo")
	s.Press("backspace", "backspace")
	s.Type("-1")
	s.Press("enter")
	s.Paste("example.net")
	s.Press("tab", "space", "tab")
	s.Choose("enter", "down", "enter")
	s.Press("tab")
	if s.Answers() != 4 {
		t.Errorf("%d answers, not 4: a text that was corrected, a paste, a switch and a choice", s.Answers())
	}
}

func TestDriver_AsciicastWithoutLongPauses(t *testing.T) {
	s := shell(t, `stty -echo; printf 'é1'; read wait; printf '日2'; read wait; printf 3`)
	s.Expect("1")
	s.Idle(60 * time.Millisecond)
	s.Press("enter")
	s.Expect("2")
	s.Mark("middle")
	s.Press("enter")
	s.Exit()
	var cast bytes.Buffer
	marks, err := s.Record(&cast, Cast{Width: 40, Height: 5, Longest: 20 * time.Millisecond, Frame: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(&cast)
	lines.Scan()
	if diff := cmp.Diff(`{"version":2,"width":40,"height":5}`, lines.Text()); diff != "" {
		t.Errorf("the header (-want +got):\n%s", diff)
	}
	var texts []string
	for lines.Scan() {
		var line [3]any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if at := line[0].(float64); at > 0.06 {
			t.Errorf("three frames with pauses of at most 20 ms take %g s", at)
		}
		texts = append(texts, line[2].(string))
	}
	if diff := cmp.Diff([]string{"é1日2", "3"}, texts); diff != "" {
		t.Errorf("what was recorded (-want +got):\n%s", diff)
	}
	if marks["middle"] > 40*time.Millisecond {
		t.Errorf("the mark is at %s", marks["middle"])
	}
}
