package session

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mostAnswers is how many answers a newcomer gives at most for a default cluster, beyond defaults that are accepted.
const mostAnswers = 12

func TestWizard_FirstQuestionToHandover(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.asking(t, usual(), "--speed", "600")
	s.visit("Review")
	s.Press("tab")
	s.WaitFor("the way on, where tab leads to", func(screen Screen) bool { return selected(screen, `\[ Rehearse:`) })
	if s.Answers() > mostAnswers {
		t.Errorf("%d answers, at most %d are needed", s.Answers(), mostAnswers)
	}
	s.Press("enter")
	s.Expect("DONE")
	s.Press("q")
	s.Expect("Open the wizard with them now?")
	if installs := strings.Count(s.Screen().String(), "exoshift install"); installs != 1 {
		t.Errorf("the summary names %d commands for a real cluster:\n%s", installs, s.Screen())
	}
	s.Press("y", "enter")
	s.Expect(marker("Access")) // of an installation: the keys of the rehearsal are not taken over
	s.ExpectMatch(`API key +.*`)
	if text := s.Screen().String(); strings.Contains(text, "rehearsal") || strings.Contains(text, "stored") {
		t.Errorf("the wizard for the real cluster shows what is the rehearsal's:\n%s", text)
	}
	s.leave()
	exported, err := filepath.Glob(filepath.Join(p.home, "*.answers.yaml"))
	if err != nil || len(exported) != 1 {
		t.Fatalf("%q were exported (%v)", exported, err)
	}
	p.start(t, usual(), "answers", "validate", exported[0]).Leave(0)
	p.saysWhereAnswersCameFrom(t, exported[0])
	p.saysWhereAnswersCameFrom(t, filepath.Join(p.home, "demo", "answers-1.yaml"))
	if _, err := os.Stat(filepath.Join(p.home, "demo", "facts.json")); err != nil {
		t.Error(err)
	}
}

// saysWhereAnswersCameFrom tells whether an answers file says so of each value.
func (place) saysWhereAnswersCameFrom(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil || !regexp.MustCompile(`(?m)^  id: c-demo-1 # typed$`).Match(content) {
		t.Errorf("%s does not say that the ID was typed (%v):\n%s", path, err, content)
	}
	for _, line := range strings.Split(string(content), "\n") {
		_, value, _ := strings.Cut(line, ": ")
		if value != "" && strings.HasPrefix(line, "  ") && !strings.Contains(line, " # ") {
			t.Errorf("%s does not say where this came from: %s", path, line)
		}
	}
}
