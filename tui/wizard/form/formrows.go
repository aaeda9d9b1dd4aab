package form

import (
	"slices"

	"exoshift/wizard"
)

type rowKind int

const (
	textRow   rowKind = iota
	choiceRow         // from a list
	switchRow         // yes or no
	secretRow         // the source of a secret
	foldRow           // shows and hides the rows with defaults
	nextRow           // opens the next screen
)

const (
	foldKey = "(fold)"
	nextKey = "(next)"
)

type formRow struct {
	key   string
	kind  rowKind
	field wizard.Field // of the rows with a question
	more  int          // rows hidden by a fold
}

func (f *Form) listRows() []formRow {
	var plain, folded []formRow
	for _, field := range f.session.Fields(f.screen) {
		row := formRow{key: field.Key, kind: f.resolveKind(field), field: field}
		if f.session.IsFolded(field) {
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

func (f *Form) resolveKind(field wizard.Field) rowKind {
	switch {
	case field.Shape() == wizard.Switch:
		return switchRow
	case field.Shape() == wizard.Reference:
		return secretRow
	case len(f.session.Lookups.Choices(field)) > 0:
		return choiceRow
	}
	return textRow
}

func (f *Form) selectedRow() formRow {
	rows := f.listRows()
	return rows[f.findSelected(rows)]
}

func (f *Form) findSelected(rows []formRow) int {
	i := slices.IndexFunc(rows, func(r formRow) bool { return r.key == f.selected })
	if i < 0 {
		return min(max(f.index, 0), len(rows)-1)
	}
	return i
}

// selectRow moves the cursor; the edit of the previous row is stored.
func (f *Form) selectRow(key string) {
	if f.editor != nil && f.selected != key {
		f.storeEdit()
		textField{f}.closeEditor()
	}
	rows := f.listRows()
	f.selected = key
	f.index = f.findSelected(rows)
	row := rows[f.index]
	f.selected = row.key
	if row.kind == textRow && (f.editor == nil || f.editor.field.Key != row.key) {
		textField{f}.openText(row.field)
	}
}

func (f *Form) moveBy(by int) {
	f.closeRow()
	rows := f.listRows()
	f.selectRow(rows[min(max(f.findSelected(rows)+by, 0), len(rows)-1)].key)
}

// selectNext moves the cursor to the next question, past what is folded.
func (f *Form) selectNext() {
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

// closeRow stores the edit; from now on a missing answer is shown as an error.
func (f *Form) closeRow() {
	f.storeEdit()
	if row := f.selectedRow(); row.kind != nextRow && row.kind != foldRow {
		f.session.Touch(row.key)
	}
}
