package tui

import (
	"exoshift/tui/pane"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// form asks the fields of a screen, one a row, and ends with a button that leads on. What a newcomer keeps is folded.
type form struct {
	session  *session
	screen   wizard.Screen
	keys     formKeys
	selected string // the row with the cursor, by its key
	index    int    // where that row was, should it vanish
	unfolded bool
	editor   *editor     // of the row with the cursor; nil where nothing is typed
	list     *choiceList // that is open; nil for none
	note     string      // about the last key; until the next one
}

func newForm(t *session, screen wizard.Screen) *form {
	return &form{session: t, screen: screen, keys: newFormKeys()}
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
		f.handleListKey(k)
	case k.Paste:
		f.insertPaste(string(k.Runes))
	default:
		f.handleKey(k)
	}
	return nil
}

// Open selects the first row, unless somebody has been here, and gives the answers that most people keep.
func (f *form) Open() tea.Cmd {
	f.session.applySuggestions(f.screen)
	f.selectRow(f.selectedRow().key)
	return nil
}

// Close stores what is being typed. If something is red it is told, and the first of it selected.
func (f *form) Close() bool {
	f.list = nil
	f.storeEdit()
	f.editor = nil
	blocking := f.session.listScreenErrors(f.screen)
	f.session.markTouched(f.screen)
	if len(blocking) == 0 {
		return true
	}
	f.Focus(blocking[0].Field)
	return false
}

// Focus selects the row that a path is about; it tells whether there is one.
func (f *form) Focus(path string) bool {
	for _, field := range f.session.listFields(f.screen) {
		if hasPathPrefix(path, field.Key) {
			f.unfolded = f.unfolded || f.isFolded(field)
			f.selectRow(field.Key)
			return true
		}
	}
	return false
}

// Mark is how the answers of the screen are.
func (f *form) Mark() pane.Status { return f.session.computeStatus(f.screen) }

// InputMode says whether letters are text, and whether esc closes something.
func (f *form) InputMode() inputMode {
	switch {
	case f.list != nil, f.editor != nil && f.editor.source != "":
		return modeCapture
	case f.editor != nil:
		return modeText
	}
	return modeDefault
}

// CurrentEdit returns what is being typed as the answer of a field.
func (f *form) CurrentEdit() (key, text string, ok bool) {
	if f.editor == nil || f.editor.source != "" {
		return "", "", false
	}
	return f.editor.field.Key, f.editor.getText(), true
}

// Help explains the row with the cursor.
func (f *form) Help() string {
	switch row := f.selectedRow(); row.kind {
	case foldRow:
		return "More questions\nMost people keep these answers. Look at them if you want to."
	case nextRow:
		return "Next\nGoes on to the next screen. Something red has to be put right before."
	default:
		return f.session.formatHelp(row.field)
	}
}
