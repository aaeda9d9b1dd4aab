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

// rows are all rows that can be seen, from top to bottom.
func (f *form) rows() []formRow {
	var plain, folded []formRow
	for _, field := range f.talk.fields(f.screen) {
		row := formRow{key: field.Key, kind: f.kind(field), field: field}
		if f.folds(field) {
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

// folds tells whether a field is one of those that a newcomer keeps. An interview about some keys hides none of them.
func (f *form) folds(field wizard.Field) bool {
	return field.Advanced && f.talk.interview.Only == nil
}

func (f *form) kind(field wizard.Field) rowKind {
	switch {
	case field.Shape() == wizard.Switch:
		return switchRow
	case field.Shape() == wizard.Reference:
		return secretRow
	case len(f.talk.choices(field)) > 0:
		return choiceRow
	}
	return textRow
}

// row is the row with the cursor.
func (f *form) row() formRow {
	rows := f.rows()
	return rows[f.at(rows)]
}

// at is where the cursor is.
func (f *form) at(rows []formRow) int {
	i := slices.IndexFunc(rows, func(r formRow) bool { return r.key == f.selected })
	if i < 0 {
		return min(max(f.index, 0), len(rows)-1)
	}
	return i
}

// choose puts the cursor on a row; what was typed on the one before is stored.
func (f *form) choose(key string) {
	if f.editor != nil && f.selected != key {
		f.commit()
		f.editor = nil
	}
	rows := f.rows()
	f.selected = key
	f.index = f.at(rows)
	row := rows[f.index]
	f.selected = row.key
	if row.kind == textRow && (f.editor == nil || f.editor.field.Key != row.key) {
		f.editor = newEditor(row.field, f.talk.text(row.field))
	}
}

// move moves the cursor by some rows and stops at the ends.
func (f *form) move(by int) {
	f.leaveRow()
	rows := f.rows()
	f.choose(rows[min(max(f.at(rows)+by, 0), len(rows)-1)].key)
}

// onward moves the cursor to the next question, past what is folded.
func (f *form) onward() {
	f.leaveRow()
	rows := f.rows()
	for _, row := range rows[f.at(rows):] {
		if row.key != f.selected && (row.kind != foldRow || f.unfolded) {
			f.choose(row.key)
			break
		}
	}
	if f.row().kind == foldRow {
		f.move(1)
	}
}

// leaveRow stores what was typed, and has told from now on what is missing.
func (f *form) leaveRow() {
	f.commit()
	if row := f.row(); row.kind != nextRow && row.kind != foldRow {
		f.talk.touched[row.key] = true
	}
}
