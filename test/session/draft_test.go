package session

import (
	"path/filepath"
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
	s.Expect("draft saved")
	return s
}

// goesOn finds the draft on the start screen, and its answers on the screens.
func (p place) goesOn(t *testing.T, z *zone) {
	t.Helper()
	s := p.installing(t, z, usual())
	s.ExpectMatch(`› +1  Go on with c-demo-1 · de-fra-1`)
	s.Press("enter")
	s.ExpectMatch(`API key +•+ kept`)
	s.ExpectMatch(`Zone +de-fra-1`)
	s.next("Cluster")
	s.ExpectMatch(`Cluster ID +\[?c-demo-1`)
	s.ExpectMatch(`Base domain +\[?example.net`)
	s.leave()
}

func TestAnInterviewThatWasLeftGoesOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	z := p.standing(t)
	s := p.begun(t, z)
	s.leave()
	if text := s.Screen().String(); !strings.Contains(text, "Go on with:\n  exoshift install") {
		t.Errorf("it is not said how to go on:\n%s", text)
	}
	p.goesOn(t, z)
}

func TestAnInterviewThatWasKilledGoesOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	z := p.standing(t)
	s := p.begun(t, z)
	s.Kill()
	p.goesOn(t, z)
}

func TestAnInterviewInAFolderGoesOnThere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.asking(t, usual())
	s.name("at-vie-1")
	s.Expect("draft saved")
	s.leave()
	if drafts, err := filepath.Glob(filepath.Join(p.home, "demo", "draft.yaml")); err != nil || len(drafts) != 1 {
		t.Errorf("%q in the folder (%v)", drafts, err)
	}
	again := p.asking(t, usual())
	again.ExpectMatch(`Zone +at-vie-1`)
	again.leave()
}

func TestADraftThatSomebodyElseWorksWithIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.asking(t, usual())
	second := p.start(t, usual(), "rehearse", "--interactive", "--dir", "demo")
	second.Expect("in use by")
	second.Press("q")
	second.Leave(16)
	s.leave()
}
