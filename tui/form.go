package tui

import (
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// form shows the fields of a screen, one a row, and ends with a button for the next screen. Fields with good defaults are folded.
type form struct {
	session  *pageContext
	screen   wizard.Screen
	keys     formKeys
	selected string // key of the row with the cursor
	index    int    // index of that row, should it vanish
	unfolded bool
	editor   *editor     // of the row with the cursor; nil while none is open
	list     *choiceList // nil while none is open
	note     string      // about the last key; until the next one
}

func newForm(t *pageContext, screen wizard.Screen) *form {
	return &form{session: t, screen: screen, keys: newFormKeys()}
}

// Update handles keys.
func (f *form) Update(msg tea.Msg) tea.Cmd {
	k, is := msg.(tea.KeyMsg)
	if !is {
		return nil
	}
	f.note = ""
	switch {
	case f.list != nil:
		if list := f.list; list.handleKey(k, f.keys) && f.list == list {
			f.list = nil
		}
	case k.Paste:
		secretField{f}.insertPaste(string(k.Runes))
	default:
		f.handleKey(k)
	}
	return nil
}

// Open selects the first row on the first visit, and applies the suggested answers.
func (f *form) Open() tea.Cmd {
	f.session.ApplySuggestions(f.screen)
	f.selectRow(f.selectedRow().key)
	return nil
}

// Close stores the edit. If there are errors, they are shown and the first one is selected.
func (f *form) Close() bool {
	f.list = nil
	f.storeEdit()
	f.editor = nil
	blocking := f.session.ScreenErrors(f.screen)
	f.session.TouchErrors(f.screen)
	if len(blocking) == 0 {
		return true
	}
	f.Focus(blocking[0].Field)
	return false
}

// Focus selects the row of a path; it reports whether there is one.
func (f *form) Focus(path string) bool {
	for _, field := range f.session.Fields(f.screen) {
		if session.HasPrefix(path, field.Key) {
			f.unfolded = f.unfolded || f.session.IsFolded(field)
			f.selectRow(field.Key)
			return true
		}
	}
	return false
}

// Mark returns the status of the screen's answers.
func (f *form) Mark() theme.Status { return f.session.computeStatus(f.screen) }

// InputMode reports whether letters are text, and whether esc closes something.
func (f *form) InputMode() inputMode {
	switch {
	case f.list != nil, f.editor != nil && f.editor.source != "":
		return modeCapture
	case f.editor != nil:
		return modeText
	}
	return modeDefault
}

// CurrentEdit returns the field and the text of the open editor.
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

// View draws the form.
func (f *form) View(width, height int) string { return formView{f}.View(width, height) }
