package tui

import (
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// savedDraft is the end of saving the draft.
type savedDraft struct{ err error }

// keptSecret is the end of keeping a secret that was typed.
type keptSecret struct {
	key, reference string
	err            error
}

// snapshot returns what saves the answers as they are now.
func (t *talk) snapshot() func() tea.Msg {
	answers, save := t.answers.Copy(), t.interview.Save
	return func() tea.Msg {
		if save == nil {
			return savedDraft{}
		}
		return savedDraft{save(answers)}
	}
}

func (t *talk) hearSaved(m savedDraft) {
	if t.unsavable = m.err; m.err == nil {
		t.saved = t.now()
	}
}

// keep has a secret kept in a file; its reference becomes the answer.
func (t *talk) keep(key, secret string) {
	keep := t.interview.Keep
	t.keeping[key] = true
	t.clerk.post(func() tea.Msg {
		reference, err := keep(key, secret)
		return keptSecret{key, reference, err}
	})
}

func (t *talk) hearKept(m keptSecret) {
	delete(t.keeping, m.key)
	delete(t.unkept, m.key)
	if m.err == nil {
		m.err = t.setAs(m.key, m.reference, wizard.Typed)
	}
	if m.err != nil {
		t.unkept[m.key] = m.err
	}
}

// draftState says in a few words whether the draft is saved; bad tells that it is not.
func (t *talk) draftState() (words string, bad bool) {
	switch {
	case t.unsavable != nil:
		return "draft not saved: " + cleanText(t.unsavable.Error(), t.ascii), true
	case t.saved.IsZero(), t.interview.Place == "":
		return "", false
	}
	return "draft saved " + ago(t.now().Sub(t.saved)), false
}
