package tui

import (
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
)

// Hints returns the keys of what is open, or else of the row with the cursor.
func (f *form) Hints() []key.Binding {
	k := f.keys
	switch {
	case f.list != nil:
		return []key.Binding{k.Pick, k.Filter, k.Close}
	case f.editor != nil && f.editor.source == sourceTyped && f.editor.field.Key != session.PullSecretKey:
		return []key.Binding{k.Accept, k.Reveal, k.Close}
	case f.editor != nil && f.editor.source != "":
		return []key.Binding{k.Accept, k.Close}
	case f.hasSuggestion():
		return append([]key.Binding{k.Correct}, f.listRowHints()...)
	}
	return f.listRowHints()
}

func (f *form) listRowHints() []key.Binding {
	k, row := f.keys, f.selectedRow()
	needed := row.field.Key != "" && !f.isAnswered(row.field)
	switch {
	case row.kind == foldRow:
		return []key.Binding{k.Unfold}
	case row.kind == nextRow:
		return []key.Binding{k.Next}
	case row.kind == switchRow:
		return []key.Binding{k.Accept, k.Toggle}
	case row.kind == choiceRow && needed:
		return []key.Binding{k.List}
	case row.kind == choiceRow:
		return []key.Binding{k.Accept, k.List}
	case row.kind == secretRow && needed:
		return []key.Binding{k.Give}
	case row.kind == secretRow:
		return []key.Binding{k.Accept, k.Give}
	}
	return []key.Binding{k.Accept}
}
