// Package form is the page of a screen's fields: one a row, with editors, lists of choices and hidden secrets. The form of the network
// has a picture of the address ranges.
package form

import (
	"exoshift/tui/app"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// Form shows the fields of a screen, one a row, and ends with a button for the next screen. Fields with good defaults are folded.
type Form struct {
	session  *page.Context
	screen   wizard.Screen
	keys     formKeys
	selected string // key of the row with the cursor
	index    int    // index of that row, should it vanish
	unfolded bool
	editor   *editor                     // of the row with the cursor; nil while none is open
	list     *choiceList                 // nil while none is open
	note     string                      // about the last key; until the next one
	history  map[string]components.Input // by key: the edits of texts, which can be undone when the field is edited again
}

// New returns the page of a screen's fields.
func New(t *page.Context, screen wizard.Screen) *Form {
	return &Form{session: t, screen: screen, keys: newFormKeys(), history: map[string]components.Input{}}
}

// Update handles keys.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	if click, is := msg.(app.ClickMsg); is {
		mouse{f}.handleClick(click.Target)
		return nil
	}
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
func (f *Form) Open() tea.Cmd {
	f.session.ApplySuggestions(f.screen)
	f.selectRow(f.selectedRow().key)
	return nil
}

// Close stores the edit. If there are errors, they are shown and the first one is selected.
func (f *Form) Close() bool {
	f.list = nil
	f.storeEdit()
	textField{f}.closeEditor()
	blocking := f.session.ScreenErrors(f.screen)
	f.session.TouchErrors(f.screen)
	if len(blocking) == 0 {
		return true
	}
	f.Focus(blocking[0].Field)
	return false
}

// Focus selects the row of a path; it reports whether there is one.
func (f *Form) Focus(path string) bool {
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
func (f *Form) Mark() theme.Status { return f.session.ComputeStatus(f.screen) }

// InputMode reports whether letters are text, and whether esc closes something.
func (f *Form) InputMode() page.InputMode {
	switch {
	case f.list != nil, f.editor != nil && f.editor.source != "":
		return page.ModeCapture
	case f.editor != nil:
		return page.ModeText
	}
	return page.ModeDefault
}

// Selected returns the key of the row with the cursor.
func (f *Form) Selected() string { return f.selected }

// CurrentEdit returns the field and the text of the open editor.
func (f *Form) CurrentEdit() (key, text string, ok bool) {
	if f.editor == nil || f.editor.source != "" {
		return "", "", false
	}
	return f.editor.field.Key, f.editor.getText(), true
}

// Help explains the row with the cursor.
func (f *Form) Help() string {
	switch row := f.selectedRow(); row.kind {
	case foldRow:
		return "Advanced settings\nThe defaults suit most clusters."
	case nextRow:
		if len(f.session.ScreenErrors(f.screen)) > 0 {
			return "Next\nGoes on to the next screen. Fix the errors first."
		}
		return "Next\nGoes on to the next screen."
	default:
		return f.session.FormatHelp(row.field)
	}
}

// View draws the form.
func (f *Form) View(width, height int) string { return formView{f}.View(width, height) }
