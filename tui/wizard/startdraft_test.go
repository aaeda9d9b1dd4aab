package wizard

import (
	"context"
	"errors"
	"strings"
	"testing"

	"exoshift/wizard"
)

// drafts is a start screen with two drafts, and what became of them.
type drafts struct {
	*driver
	names     []string
	discarded int
	fault     error
}

func openDrafts(t *testing.T) *drafts {
	t.Helper()
	d := &drafts{}
	begin := newInterview()
	d.driver = openWizard(t, begin, 80, 24, func(w *Options) {
		w.StartOptions = []StartOption{
			{ID: "one", Title: "Continue c-one", Help: "in /drafts/1", Draft: &StartDraft{
				Read: func() (string, error) {
					return "cluster:\n  id: c-one\n  displayName: \x1b[31m" + strings.Repeat("long ", 40) + "\n", d.fault
				},
				Rename: func(name string) (string, error) {
					d.names = append(d.names, name)
					return "Continue " + name + ": c-one", d.fault
				},
				Discard: func() error {
					d.discarded++
					return d.fault
				},
			}},
			{ID: "two", Title: "Continue c-two", Draft: &StartDraft{Read: func() (string, error) { return "", nil }, Discard: func() error { return nil }}},
			{ID: "new", Title: "A new cluster"},
		}
		w.Open = func(context.Context, string) (*wizard.Interview, error) { return begin.Interview, nil }
	})
	return d
}

func TestStartScreen_ViewsDraft(t *testing.T) {
	d := openDrafts(t)
	d.Shows(t, "v view", "r rename", "x discard")
	d.Press("v").Shows(t, "  id: c-one", "displayName:", "long long")
	d.Press("esc").Shows(t, "What would you like to do?")
	if d.session != nil || d.Quit {
		t.Error("looking at a draft does more than that")
	}
	d.fault = errors.New("no such file")
	d.Press("v").Shows(t, "✗ no such file")
}

func TestStartScreen_RenamesDraft(t *testing.T) {
	d := openDrafts(t)
	d.Press("r").Shows(t, "Name of this draft")
	d.Type("for xq").Press("enter").Shows(t, "1 Continue for xq: c-one")
	d.Press("r").Shows(t, "for xq").Press("esc")
	if len(d.names) != 1 || d.names[0] != "for xq" {
		t.Errorf("the names are %q", d.names)
	}
	d.fault = errors.New("the disk is full")
	d.Press("r", "enter").Shows(t, "Name of this draft", "the disk is full")
}

func TestStartScreen_DiscardsDraftAfterYes(t *testing.T) {
	d := openDrafts(t)
	d.Press("x").Shows(t, "Discard this draft?", "Continue c-one", "Keep it").Press("enter")
	if d.Shows(t, "1 Continue c-one"); d.discarded != 0 {
		t.Fatal("the default discards")
	}
	d.fault = errors.New("it is open in another window")
	d.Press("x", "y").Shows(t, "✗ it is open in another window", "1 Continue c-one")
	d.fault = nil
	d.Press("x", "down", "enter").Shows(t, "1 Continue c-two").Hides(t, "c-one")
	if d.discarded != 2 {
		t.Errorf("asked to discard it %d times", d.discarded)
	}
	d.Hides(t, "r rename") // its folder has a name that the operator gave
	d.Press("down").Hides(t, "x discard").Press("x").Hides(t, "Discard this draft?")
}
