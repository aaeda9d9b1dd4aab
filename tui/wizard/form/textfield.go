package form

import (
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// textField edits an answer that is text, and takes what is suggested in its place.
type textField struct{ *Form }

func (f textField) handleTextKey(k tea.KeyMsg) {
	if f.editor == nil {
		f.selectRow(f.selected)
	}
	if k.Type != tea.KeyEnter {
		f.note = f.editor.handleKey(k)
		return
	}
	f.session.Touch(f.selected)
	f.storeText(true)
	if !f.session.IsRejected(f.selected) {
		f.selectNext()
	}
}

// storeText stores a changed text, or with always any text. A rejected one stays in its field.
func (f textField) storeText(always bool) {
	e := f.editor
	if e == nil || e.source != "" || !always && !e.isDirty() {
		return
	}
	if unchanged := !e.isDirty() && e.getText() != ""; unchanged && !f.session.IsRejected(e.field.Key) {
		return // an accepted default stays one
	}
	if always && !e.isDirty() && e.getText() == "" && !e.field.IsRequired(f.session.Spec()) {
		return
	}
	if f.session.Set(e.field.Key, e.getText()) == nil {
		position := e.input.Position()
		e.resetText(f.session.Text(e.field))
		e.input.SetCursor(position)
		return
	}
	e.before = e.input.Value()
}

func (f textField) findSuggestion() (key, text string) {
	for _, fault := range f.session.Errors(f.selected) {
		if fault.Suggestion != "" && fault.Field == f.selected {
			return fault.FindFix()
		}
	}
	return "", ""
}

func (f textField) hasSuggestion() bool { key, _ := f.findSuggestion(); return key != "" }

func (f textField) applySuggestion() {
	if f.session.Set(f.findSuggestion()) == nil {
		f.reopen()
	}
}

// hasOtherAnswer reports whether the answer of the row with the cursor can be reset to a default.
func (f textField) hasOtherAnswer() bool {
	key := f.selectedRow().field.Key
	return key != "" && (f.session.Answers().Origin(key) != wizard.ByDefault || f.session.IsRejected(key))
}

func (f textField) resetAnswer() {
	if err := f.session.Clear(f.selected); err != nil {
		f.note = err.Error()
		return
	}
	f.reopen()
}

// reopen shows the answer that was set while it is edited.
func (f textField) reopen() {
	f.closeEditor()
	f.selectRow(f.selected)
}

// openText edits the text of an answer. Its earlier edits can be undone.
func (f textField) openText(field wizard.Field) {
	f.editor = newEditor(field, "")
	if earlier, edited := f.history[field.Key]; edited {
		f.editor.input = earlier
	}
	f.editor.resetText(f.session.Text(field))
}

func (f textField) closeEditor() {
	if e := f.editor; e != nil && e.source == "" {
		f.history[e.field.Key] = e.input
	}
	f.editor = nil
}
