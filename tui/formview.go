package tui

import (
	"fmt"
	"strings"

	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/x/ansi"
)

// Widths and heights of a form.
const (
	labelWidest = 26
	originWidth = 10
	stackWidth  = 44 // below this, and below stackHeight, only the row with the cursor is shown
	stackHeight = 7
)

// View draws the form; where there is little room, only the row with the cursor.
func (f *form) View(width, height int) string {
	switch {
	case f.list != nil:
		return f.list.view(f.talk.theme, width, height)
	case width < stackWidth || height < stackHeight:
		return f.stacked(width, height)
	}
	below := f.below(width)
	lines := f.window(width, max(height-len(below), 3))
	for len(lines)+len(below) < height {
		lines = append(lines, "")
	}
	return pane.Fill(append(lines, below...), width, height)
}

// window draws the rows that there is room for, with the one that has the cursor and what is wrong with it.
func (f *form) window(width, height int) []string {
	var lines []string
	top, bottom := 0, 0
	rows := f.rows()
	for i, row := range rows {
		drawn := f.draw(row, i == f.at(rows), width)
		if i == f.at(rows) {
			top, bottom = len(lines), len(lines)+len(drawn)
		}
		lines = append(lines, drawn...)
	}
	if len(lines) <= height {
		return lines
	}
	from := min(max(bottom-height+1, 0), top)
	from = min(max(from, top-height/2), len(lines)-height)
	cut := append([]string{}, lines[max(from, 0):max(from, 0)+height]...)
	t := f.talk.theme
	if from > 0 && top > from {
		cut[0] = t.Dim.Render("   ↑ more")
	}
	if from+height < len(lines) && bottom < from+height {
		cut[height-1] = t.Dim.Render("   ↓ more")
	}
	return cut
}

// draw draws a row and what is to be said about it.
func (f *form) draw(row formRow, selected bool, width int) []string {
	t := f.talk.theme
	head := "   "
	if selected {
		head = " " + t.Prong + " "
	}
	switch row.kind {
	case foldRow:
		return []string{"", head + f.fold(row, selected)}
	case nextRow:
		return []string{"", head + f.next(selected, width-3)}
	}
	label := pane.Fit(row.field.Title, f.labelWidth())
	if selected {
		label = t.Bold.Render(label)
	}
	room := max(width-3-f.labelWidth()-2-originWidth-3, 8)
	origin := f.talk.originMark(row.field)
	if selected && f.editor != nil && f.editor.dirty() {
		origin = ""
	}
	line := head + label + "  " + pane.Fit(f.value(row, selected, room), room) + "  " + t.Dim.Render(origin)
	return append([]string{pane.Fit(line, width)}, f.remarks(row, selected, width)...)
}

// labelWidth is the width of the names of the fields.
func (f *form) labelWidth() int {
	widest := 0
	for _, row := range f.rows() {
		widest = max(widest, ansi.StringWidth(row.field.Title))
	}
	return min(widest, labelWidest)
}

// value draws the answer of a row.
func (f *form) value(row formRow, selected bool, room int) string {
	t := f.talk.theme
	text := cleanText(f.talk.text(row.field), f.talk.ascii)
	switch {
	case selected && f.editor != nil:
		return t.Focus.Render("[") + f.typed(room-2) + t.Focus.Render("]")
	case row.kind == secretRow:
		return f.secretView(row.field, room)
	case row.kind == switchRow:
		return map[bool]string{true: "[x] yes", false: "[ ] no"}[text == "true"]
	case row.kind == choiceRow && text == "":
		return t.Dim.Render(f.empty(row.field)) + " ▾"
	case row.kind == choiceRow:
		return text + " ▾"
	case text == "":
		return t.Dim.Render(f.empty(row.field))
	}
	return pane.Truncate(text, room)
}

// empty says what no answer means.
func (f *form) empty(field wizard.Field) string {
	if field.RequiredBy(f.talk.spec()) {
		return "needed"
	}
	return "none"
}

// typed draws what is being typed; a secret as bullets whose number says nothing.
func (f *form) typed(room int) string {
	e, t := f.editor, f.talk.theme
	what := map[string]string{inEnvironment: "variable ", inFile: "file ", inExo: "account "}[e.source]
	switch {
	case e.source != typedHere:
		return t.Dim.Render(what) + e.view(t, max(room-len(what), 1))
	case e.text() == "":
		return pane.Fit(cursorOver(t, nil)+t.Dim.Render(" paste or type it: it is not shown"), room)
	case f.talk.now().Before(e.shownUntil):
		return e.view(t, room)
	}
	return pane.Fit(strings.Repeat("•", 8)+cursorOver(t, nil), room)
}

// remarks are what is wrong with a row, or worth knowing; of rows without the cursor only the beginning.
func (f *form) remarks(row formRow, selected bool, width int) []string {
	t := f.talk.theme
	var lines []string
	say := func(status pane.Status, text string) {
		said := pane.Wrap(text, "", max(width-7-len(t.Indent()), 8))
		for i, line := range said {
			if !selected && i > 0 {
				return
			}
			head := t.Indent()
			if i == 0 {
				head = t.Mark(status) + " "
			}
			lines = append(lines, "     "+head+t.Style(status).Render(line))
		}
	}
	for _, fault := range f.talk.red(row.key) {
		if selected && fault.Problem == missing && f.editor != nil && f.editor.text() != "" {
			continue // it is being given
		}
		say(pane.Failed, f.talk.sentence(fault))
	}
	if err := f.talk.unkept[row.key]; err != nil {
		say(pane.Failed, cleanText(err.Error(), f.talk.ascii))
	}
	for _, fault := range f.talk.amber(row.key) {
		say(pane.Warn, f.talk.advice(fault))
	}
	if selected && f.note != "" {
		say(pane.Warn, cleanText(f.note, f.talk.ascii))
	}
	return lines
}

func (f *form) fold(row formRow, selected bool) string {
	text := fmt.Sprintf("▸ %d more with defaults", row.more)
	if f.unfolded {
		text = fmt.Sprintf("▾ %d more with defaults", row.more)
	}
	style := f.talk.theme.Dim
	if selected {
		style = f.talk.theme.Selected
	}
	return style.Render(text) + f.hidden()
}

// hidden says how many of the folded rows have something to look at.
func (f *form) hidden() string {
	if f.unfolded {
		return ""
	}
	t, told := f.talk.theme, 0
	for _, field := range f.talk.fields(f.screen) {
		if f.folds(field) && len(f.talk.red(field.Key))+len(f.talk.amber(field.Key)) > 0 {
			told++
		}
	}
	if told == 0 {
		return ""
	}
	return "  " + t.Mark(pane.Warn) + " " + t.Style(pane.Warn).Render(fmt.Sprintf("%d worth a look", told))
}

// next draws the button, and how much is in its way as far as it was told.
func (f *form) next(selected bool, room int) string {
	t, button := f.talk.theme, "[ Next ]"
	if selected {
		button = t.Selected.Render(button)
	}
	told := 0
	for _, row := range f.rows() {
		if row.kind != nextRow && row.kind != foldRow && len(f.talk.red(row.key)) > 0 {
			told++
		}
	}
	if told == 0 {
		return button
	}
	return pane.Truncate(button+"  "+t.Mark(pane.Failed)+" "+t.Bad.Render(pane.Plural(told, "answer")+" to put right first"), room)
}

// stacked draws the row with the cursor only.
func (f *form) stacked(width, height int) string {
	rows := f.rows()
	row, t := rows[f.at(rows)], f.talk.theme
	switch row.kind {
	case foldRow:
		return pane.Fill([]string{f.fold(row, true)}, width, height)
	case nextRow:
		return pane.Fill([]string{f.next(true, width)}, width, height)
	}
	value := f.value(row, true, width)
	title := t.Bold.Render(row.field.Title) + t.Dim.Render(fmt.Sprintf(" %d/%d", f.at(rows)+1, len(rows)-1))
	if height == 1 {
		return pane.Fill([]string{value}, width, height)
	}
	lines := []string{title, value}
	for _, line := range f.remarks(row, true, width+5) {
		lines = append(lines, strings.TrimPrefix(line, "     "))
	}
	return pane.Fill(append(lines, f.replies(width)...), width, height)
}
