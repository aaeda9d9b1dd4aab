package tui

import (
	"slices"

	"exoshift/wizard"
)

// rowKind is how a row is answered.
type rowKind int

const (
	textRow   rowKind = iota
	choiceRow         // from a list
	switchRow         // yes or no
	secretRow         // where a secret is found
	foldRow           // shows and hides the rows with defaults
	nextRow           // leads on
)

// Keys of the rows without a field.
const (
	foldKey = "(fold)"
	nextKey = "(next)"
)

// formRow is one row of a form.
type formRow struct {
	key   string
	kind  rowKind
	field wizard.Field // of the rows with a question
	more  int          // rows that a fold is about
}

// listRows are all rows that can be seen, from top to bottom.
func (f *form) listRows() []formRow {
	var plain, folded []formRow
	for _, field := range f.session.listFields(f.screen) {
		row := formRow{key: field.Key, kind: f.resolveKind(field), field: field}
		if f.isFolded(field) {
			folded = append(folded, row)
		} else {
			plain = append(plain, row)
		}
	}
	rows := plain
	if len(folded) > 0 {
		rows = append(rows, formRow{key: foldKey, kind: foldRow, more: len(folded)})
	}
	if f.unfolded {
		rows = append(rows, folded...)
	}
	return append(rows, formRow{key: nextKey, kind: nextRow})
}

// isFolded tells whether a field is one of those that a newcomer keeps. An interview about some keys hides none of them.
func (f *form) isFolded(field wizard.Field) bool {
	return field.Advanced && f.session.interview.Only == nil
}

func (f *form) resolveKind(field wizard.Field) rowKind {
	switch {
	case field.Shape() == wizard.Switch:
		return switchRow
	case field.Shape() == wizard.Reference:
		return secretRow
	case len(f.session.listChoices(field)) > 0:
		return choiceRow
	}
	return textRow
}

// selectedRow is the row with the cursor.
func (f *form) selectedRow() formRow {
	rows := f.listRows()
	return rows[f.findSelected(rows)]
}

// findSelected is where the cursor is.
func (f *form) findSelected(rows []formRow) int {
	i := slices.IndexFunc(rows, func(r formRow) bool { return r.key == f.selected })
	if i < 0 {
		return min(max(f.index, 0), len(rows)-1)
	}
	return i
}

// selectRow puts the cursor on a row; what was typed on the one before is stored.
func (f *form) selectRow(key string) {
	if f.editor != nil && f.selected != key {
		f.storeEdit()
		f.editor = nil
	}
	rows := f.listRows()
	f.selected = key
	f.index = f.findSelected(rows)
	row := rows[f.index]
	f.selected = row.key
	if row.kind == textRow && (f.editor == nil || f.editor.field.Key != row.key) {
		f.editor = newEditor(row.field, f.session.getText(row.field))
	}
}

// moveBy moves the cursor by some rows and stops at the ends.
func (f *form) moveBy(by int) {
	f.closeRow()
	rows := f.listRows()
	f.selectRow(rows[min(max(f.findSelected(rows)+by, 0), len(rows)-1)].key)
}

// selectNext moves the cursor to the next question, past what is folded.
func (f *form) selectNext() {
	f.closeRow()
	rows := f.listRows()
	for _, row := range rows[f.findSelected(rows):] {
		if row.key != f.selected && (row.kind != foldRow || f.unfolded) {
			f.selectRow(row.key)
			break
		}
	}
	if f.selectedRow().kind == foldRow {
		f.moveBy(1)
	}
}

// closeRow stores what was typed, and has told from now on what is missing.
func (f *form) closeRow() {
	f.storeEdit()
	if row := f.selectedRow(); row.kind != nextRow && row.kind != foldRow {
		f.session.touched[row.key] = true
	}
}
