package form

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/x/ansi"
)

const (
	maxLabelWidth = 29
	originWidth   = 10
	minFormWidth  = 44 // below this, and below stackHeight, only the row with the cursor is shown
	minFormHeight = 7
)

// formView draws a form.
type formView struct{ *Form }

// View draws the form; where there is little room, only the row with the cursor.
func (f formView) View(width, height int) string {
	switch {
	case f.list != nil:
		return f.list.render(f.session.Theme, f.session.ASCII, width, height)
	case width < minFormWidth || height < minFormHeight:
		return f.renderStacked(width, height)
	}
	below := f.renderFooter(width)
	lines := f.renderRows(width, max(height-len(below), 3))
	for len(lines)+len(below) < height {
		lines = append(lines, "")
	}
	return cells.Fill(append(lines, f.truncateFooter(below, height-len(lines), width)...), width, height)
}

// truncateFooter refers to the help for what does not fit.
func (f formView) truncateFooter(below []string, height, width int) []string {
	if len(below) <= height || height <= 0 {
		return below
	}
	const reference = " … F1: all"
	last := strings.TrimRight(ansi.Truncate(below[height-1], max(width-ansi.StringWidth(reference)-1, 0), ""), " ")
	return append(below[:height-1:height-1], last+f.session.Theme.Dim.Render(reference))
}

// renderRows draws the rows that fit, always with the selected row and its problems.
func (f formView) renderRows(width, height int) []string {
	var lines []string
	top, bottom := 0, 0
	rows := f.listRows()
	for i, row := range rows {
		drawn := f.renderRow(row, i == f.findSelected(rows), width)
		for n := range drawn {
			drawn[n] = components.MarkTarget(f.session.Theme, rowTarget+row.key, drawn[n])
		}
		if i == f.findSelected(rows) {
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
	t := f.session.Theme
	if from > 0 && top > from {
		cut[0] = t.Dim.Render("   ↑ more")
	}
	if from+height < len(lines) && bottom < from+height {
		cut[height-1] = t.Dim.Render("   ↓ more")
	}
	return cut
}

func (f formView) renderRow(row formRow, selected bool, width int) []string {
	t := f.session.Theme
	head := "   "
	if selected {
		head = " " + t.Cursor + " "
	}
	switch row.kind {
	case foldRow:
		return []string{"", head + f.renderFold(row, selected)}
	case nextRow:
		return []string{"", head + f.renderNext(selected, width-3)}
	}
	label := cells.Fit(row.field.Title, f.labelWidth())
	if selected {
		label = t.Bold.Render(label)
	}
	room := max(width-3-f.labelWidth()-2-originWidth-3, 8)
	origin := f.session.FormatOrigin(row.field)
	if selected && f.editor != nil && f.editor.isDirty() {
		origin = ""
	}
	line := head + label + "  " + cells.Fit(f.renderValue(row, selected, room), room) + "  " + t.Dim.Render(origin)
	return append([]string{cells.Fit(line, width)}, f.renderProblems(row, selected, width)...)
}

func (f formView) labelWidth() int {
	widest := 0
	for _, row := range f.listRows() {
		widest = max(widest, ansi.StringWidth(row.field.Title))
	}
	return min(widest, maxLabelWidth)
}

func (f formView) renderValue(row formRow, selected bool, room int) string {
	t := f.session.Theme
	text := cells.SanitizeText(f.session.Text(row.field), f.session.ASCII)
	switch {
	case selected && f.editor != nil:
		return t.Focus.Render("[") + f.renderEdit(room-2) + t.Focus.Render("]")
	case row.kind == secretRow:
		return secretField(f).render(row.field, room)
	case row.kind == switchRow:
		return map[bool]string{true: "[x] yes", false: "[ ] no"}[text == "true"]
	case row.kind == choiceRow && text == "":
		return t.Dim.Render(f.formatEmpty(row.field)) + " ▾"
	case row.kind == choiceRow:
		return text + " ▾"
	case text == "":
		return t.Dim.Render(f.formatEmpty(row.field))
	}
	return cells.Truncate(text, room)
}

func (f formView) formatEmpty(field wizard.Field) string {
	if field.IsRequired(f.session.Spec()) {
		return "required"
	}
	return "none"
}

// A secret is shown as a number of bullets independent of its length.
func (f formView) renderEdit(room int) string {
	e, t := f.editor, f.session.Theme
	what := map[string]string{session.SourceEnv: "variable ", session.SourceFile: "file ", session.SourceExo: "account "}[e.source]
	switch {
	case e.source != sourceTyped && e.holdsSecret():
		return t.Dim.Render(what) + cells.Fit(strings.Repeat("•", 8)+components.RenderCursor(t, nil), max(room-len(what), 1))
	case e.source != sourceTyped:
		return t.Dim.Render(what) + e.input.Render(t, f.session.ASCII, max(room-len(what), 1))
	case e.getText() == "":
		return cells.Fit(components.RenderCursor(t, nil)+t.Dim.Render(" paste or type it; hidden"), room)
	case f.session.Now().Before(e.shownUntil):
		return e.input.Render(t, f.session.ASCII, room)
	}
	return cells.Fit(strings.Repeat("•", 8)+components.RenderCursor(t, nil), room)
}

// Rows without the cursor show only the beginning.
func (f formView) renderProblems(row formRow, selected bool, width int) []string {
	t := f.session.Theme
	var lines []string
	add := func(status theme.Status, text string) {
		wrapped := cells.Wrap(text, "", max(width-7-len(t.Indent()), 8))
		for i, line := range wrapped {
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
	for _, fault := range f.session.Errors(row.key) {
		if selected && session.DescribeProblem(f.session.Session, fault).Missing && f.editor != nil && f.editor.getText() != "" {
			continue // it is being edited
		}
		add(theme.Failed, f.session.FormatError(fault))
	}
	if _, err := f.session.Saves.Secret(row.key); err != nil {
		add(theme.Failed, cells.SanitizeText(err.Error(), f.session.ASCII))
	}
	for _, fault := range f.session.Warnings(row.key) {
		add(theme.Warn, f.session.FormatWarning(fault))
	}
	if selected && f.note != "" {
		add(theme.Warn, cells.SanitizeText(f.note, f.session.ASCII))
	}
	return lines
}

func (f formView) renderFold(row formRow, selected bool) string {
	text := fmt.Sprintf("▸ %d more with defaults", row.more)
	if f.unfolded {
		text = fmt.Sprintf("▾ %d more with defaults", row.more)
	}
	style := f.session.Theme.Dim
	if selected {
		style = f.session.Theme.Selected
	}
	return style.Render(text) + f.describeFolded()
}

// describeFolded counts the folded rows with problems.
func (f formView) describeFolded() string {
	if f.unfolded {
		return ""
	}
	t, count := f.session.Theme, 0
	for _, field := range f.session.Fields(f.screen) {
		if f.session.IsFolded(field) && len(f.session.Errors(field.Key))+len(f.session.Warnings(field.Key)) > 0 {
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return "  " + t.Mark(theme.Warn) + " " + t.Style(theme.Warn).Render(text.Plural(count, "warning"))
}

// renderNext draws the button and the number of errors shown so far.
func (f formView) renderNext(selected bool, room int) string {
	t, button := f.session.Theme, "[ Next ]"
	if selected {
		button = t.Selected.Render(button)
	}
	count := 0
	for _, row := range f.listRows() {
		if row.kind != nextRow && row.kind != foldRow && len(f.session.Errors(row.key)) > 0 {
			count++
		}
	}
	if count == 0 {
		return button
	}
	return cells.Truncate(button+"  "+t.Mark(theme.Failed)+" "+t.Bad.Render(text.Plural(count, "answer")+" to fix"), room)
}

func (f formView) renderStacked(width, height int) string {
	rows := f.listRows()
	row, t := rows[f.findSelected(rows)], f.session.Theme
	switch row.kind {
	case foldRow:
		return cells.Fill([]string{f.renderFold(row, true)}, width, height)
	case nextRow:
		return cells.Fill([]string{f.renderNext(true, width)}, width, height)
	}
	value := f.renderValue(row, true, width)
	title := t.Bold.Render(row.field.Title) + t.Dim.Render(fmt.Sprintf(" %d/%d", f.findSelected(rows)+1, len(rows)-1))
	if height == 1 {
		return cells.Fill([]string{value}, width, height)
	}
	lines := []string{title, value}
	for _, line := range f.renderProblems(row, true, width+5) {
		lines = append(lines, strings.TrimPrefix(line, "     "))
	}
	return cells.Fill(append(lines, f.renderLookups(width)...), width, height)
}
