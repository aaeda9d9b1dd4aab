package tui

import (
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

type draftSavedMsg struct{ err error }

type secretSavedMsg struct {
	key, reference string
	err            error
}

// prepareSave takes a snapshot of the answers and returns the function that saves it.
func (t *session) prepareSave() func() tea.Msg {
	answers, save := t.answers.Copy(), t.interview.Save
	return func() tea.Msg {
		if save == nil {
			return draftSavedMsg{}
		}
		return draftSavedMsg{save(answers)}
	}
}

func (t *session) handleDraftSaved(m draftSavedMsg) {
	if t.saveErr = m.err; m.err == nil {
		t.savedAt = t.now()
	}
}

// saveSecret saves a secret to a file; the reference to it becomes the answer.
func (t *session) saveSecret(key, secret string) {
	keep := t.interview.SaveSecret
	t.savingSecrets[key] = true
	t.saveQueue.enqueue(func() tea.Msg {
		reference, err := keep(key, secret)
		return secretSavedMsg{key, reference, err}
	})
}

func (t *session) handleSecretSaved(m secretSavedMsg) {
	delete(t.savingSecrets, m.key)
	delete(t.secretErrs, m.key)
	if m.err == nil {
		m.err = t.setAs(m.key, m.reference, wizard.Typed)
	}
	if m.err != nil {
		t.secretErrs[m.key] = m.err
	}
}

func (t *session) describeDraft() (words string, bad bool) {
	switch {
	case t.saveErr != nil:
		return "draft not saved: " + sanitizeText(t.saveErr.Error(), t.ascii), true
	case t.savedAt.IsZero(), t.interview.DraftPath == "":
		return "", false
	}
	return "draft saved " + formatAge(t.now().Sub(t.savedAt)), false
}
