package tui

import (
	"exoshift/tui/pane"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// form asks the fields of a screen, one a row, and ends with a button that leads on. What a newcomer keeps is folded.
type form struct {
	talk     *talk
	screen   wizard.Screen
	keys     formKeys
	selected string // the row with the cursor, by its key
	index    int    // where that row was, should it vanish
	unfolded bool
	editor   *editor     // of the row with the cursor; nil where nothing is typed
	list     *choiceList // that is open; nil for none
	note     string      // about the last key; until the next one
}

func newForm(t *talk, screen wizard.Screen) *form {
	return &form{talk: t, screen: screen, keys: newFormKeys()}
}

// Update takes a key.
func (f *form) Update(msg tea.Msg) tea.Cmd {
	k, is := msg.(tea.KeyMsg)
	if !is {
		return nil
	}
	f.note = ""
	switch {
	case f.list != nil:
		f.pressList(k)
	case k.Paste:
		f.paste(string(k.Runes))
	default:
		f.press(k)
	}
	return nil
}

// Enter selects the first row, unless somebody has been here, and gives the answers that most people keep.
func (f *form) Enter() tea.Cmd {
	f.talk.suggest(f.screen)
	f.choose(f.row().key)
	return nil
}

// Leave stores what is being typed. If something is red it is told, and the first of it selected.
func (f *form) Leave() bool {
	f.list = nil
	f.commit()
	f.editor = nil
	blocking := f.talk.blocking(f.screen)
	f.talk.tell(f.screen)
	if len(blocking) == 0 {
		return true
	}
	f.Seek(blocking[0].Field)
	return false
}

// Seek selects the row that a path is about; it tells whether there is one.
func (f *form) Seek(path string) bool {
	for _, field := range f.talk.fields(f.screen) {
		if within(path, field.Key) {
			f.unfolded = f.unfolded || f.folds(field)
			f.choose(field.Key)
			return true
		}
	}
	return false
}

// Mark is how the answers of the screen are.
func (f *form) Mark() pane.Status { return f.talk.status(f.screen) }

// Grip says whether letters are text, and whether esc closes something.
func (f *form) Grip() grip {
	switch {
	case f.list != nil, f.editor != nil && f.editor.source != "":
		return open
	case f.editor != nil:
		return typing
	}
	return loose
}

// Editing returns what is being typed as the answer of a field.
func (f *form) Editing() (key, text string, ok bool) {
	if f.editor == nil || f.editor.source != "" {
		return "", "", false
	}
	return f.editor.field.Key, f.editor.text(), true
}

// Help explains the row with the cursor.
func (f *form) Help() string {
	switch row := f.row(); row.kind {
	case foldRow:
		return "More questions\nMost people keep these answers. Look at them if you want to."
	case nextRow:
		return "Next\nGoes on to the next screen. Something red has to be put right before."
	default:
		return f.talk.explain(row.field)
	}
}
