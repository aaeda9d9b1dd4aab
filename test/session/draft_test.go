package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// begun gives a few answers on the screens of install, and waits until they are saved.
func (p place) begun(t *testing.T, z *zone) *Session {
	t.Helper()
	s := p.installing(t, z, usual())
	s.Press("enter")
	s.Expect(marker("Access"))
	s.credentials(z)
	s.name("de-fra-1")
	s.next("Nodes")
	s.WaitFor("a draft of the last answer", func(screen Screen) bool { return screen.Has("draft saved") && p.drafted("example.net") })
	return s
}

// drafted tells whether an answer is in a draft on the disk.
func (p place) drafted(answer string) bool {
	drafts, _ := filepath.Glob(filepath.Join(p.state, "exoshift", ".drafts", "*", "draft.yaml")) // the pattern is a good one
	return slices.ContainsFunc(drafts, func(path string) bool {
		content, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(content), answer)
	})
}

// goesOn finds the draft on the start screen, and its answers on the screens.
func (p place) goesOn(t *testing.T, z *zone) {
	t.Helper()
	s := p.installing(t, z, usual())
	s.ExpectMatch(`› +1  Continue c-demo-1 · de-fra-1`)
	s.Press("enter")
	s.Expect(marker("Secrets")) // the first question that is open
	s.Press("alt+1")
	s.ExpectMatch(`API key +•+ stored`)
	s.ExpectMatch(`Zone +de-fra-1`)
	s.next("Cluster")
	s.ExpectMatch(`Cluster ID +\[?c-demo-1`)
	s.ExpectMatch(`Base domain +\[?example.net`)
	s.leave()
}

func TestDraft_ResumesAfterLeaving(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	z := p.standing(t)
	s := p.begun(t, z)
	s.leave()
	if text := s.Screen().String(); !strings.Contains(text, "Resume with:\n  exoshift install") {
		t.Errorf("it is not said how to go on:\n%s", text)
	}
	p.goesOn(t, z)
}

func TestDraft_ResumesAfterKill(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	z := p.standing(t)
	s := p.begun(t, z)
	s.Kill()
	p.goesOn(t, z)
}

// askingOn goes on with the questions of a rehearsal on the screen that has the first that is open, and shows the first.
func (p place) askingOn(t testing.TB, screen string) *Session {
	t.Helper()
	s := p.start(t, usual(), "rehearse", "--interactive", "--dir", "demo")
	s.Expect(marker(screen))
	s.Press("alt+1")
	s.Expect(marker("Access"))
	return s
}

func TestDraft_ResumesInFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.asking(t, usual())
	s.name("at-vie-1")
	s.Expect("draft saved")
	s.leave()
	if drafts, err := filepath.Glob(filepath.Join(p.home, "demo", "draft.yaml")); err != nil || len(drafts) != 1 {
		t.Errorf("%q in the folder (%v)", drafts, err)
	}
	again := p.askingOn(t, "Access") // nothing is open
	again.ExpectMatch(`Zone +at-vie-1`)
	again.leave()
}

func TestDraft_RefusesLocked(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.asking(t, usual())
	second := p.start(t, usual(), "rehearse", "--interactive", "--dir", "demo")
	second.ExpectMatch(`in\s+use\s+by`) // the length of the path decides where the line ends
	second.Press("q")
	second.Leave(16)
	s.leave()
}

func TestDraft_RenamedAndDiscardedFromStartScreen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	z := p.standing(t)
	p.begun(t, z).leave()
	s := p.installing(t, z, usual())
	s.Expect("Continue c-demo-1 · de-fra-1", "v view", "r rename", "x discard")
	s.Press("v")
	s.Expect("baseDomain: example.net")
	s.Press("esc")
	s.Expect("What would you like to do?")
	s.Press("r")
	s.Expect("Name of this draft")
	s.Type("for Anna")
	s.Press("enter")
	s.Expect("Continue for Anna: c-demo-1 · de-fra-1")
	s.Press("x", "enter")
	s.Expect("Continue for Anna")
	s.Press("x", "y")
	s.ExpectNot("Continue for Anna")
	s.Expect("A new cluster")
	if p.drafted("example.net") {
		t.Error("the discarded draft is still there")
	}
	s.Press("q")
	s.Leave(0)
}
