package form

import (
	"slices"
	"strings"

	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// Prefixes of the targets of a row, whose key follows, and of a choice, whose value follows.
const (
	rowTarget    = "row:"
	choiceTarget = "choice:"
)

// mouse is what clicks do on a form.
type mouse struct{ *Form }

// handleClick selects a row. A choice, a button, a switch, and what opens a list, takes effect at once where it is selected already.
func (f mouse) handleClick(target string) {
	f.note = ""
	if f.list != nil {
		f.clickChoice(target)
		return
	}
	key, is := strings.CutPrefix(target, rowTarget)
	rows := f.listRows()
	at := slices.IndexFunc(rows, func(r formRow) bool { return r.key == key })
	if !is || at < 0 || f.editor != nil && f.editor.source != "" {
		return
	}
	row, again := rows[at], f.selectedRow().key == key
	f.closeRow()
	f.selectRow(key)
	switch {
	case row.kind == nextRow, row.kind == foldRow, again && (row.kind == switchRow || row.kind == choiceRow || row.kind == secretRow):
		f.handleRowKey(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
	}
}

func (f mouse) clickChoice(target string) {
	value, is := strings.CutPrefix(target, choiceTarget)
	list := f.list
	at := slices.IndexFunc(list.filterChoices(), func(c wizard.Choice) bool { return c.Value == value })
	if !is || at < 0 {
		return
	}
	list.cursor = at
	if list.onSelect(value); f.list == list {
		f.list = nil
	}
}
