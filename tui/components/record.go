package components

import (
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Record is a row of a list, and everything that is known about it.
type Record struct {
	ID     string // unique in its list
	Status theme.Status
	Name   string
	Note   string
	Fields func() []Field // built only for the record that is open
}

// Field is one thing about a record. Its text may have several lines.
type Field struct{ Name, Text string }

// NewFields returns the fields that have a text, from names and texts in turn.
func NewFields(pairs ...string) []Field {
	var fields []Field
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fields = append(fields, Field{pairs[i], pairs[i+1]})
		}
	}
	return fields
}

// Format returns everything about a record as plain text.
func (r Record) Format() string {
	lines := []string{strings.TrimSpace(r.Name)}
	for _, field := range r.listFields() {
		lines = append(lines, field.Name+": "+strings.ReplaceAll(field.Text, "\n", "\n  "))
	}
	return strings.Join(lines, "\n")
}

func (r Record) formatRow() string { return strings.TrimSpace(r.Name + "  " + r.Note) }

func (r Record) listFields() []Field {
	if r.Fields == nil {
		return NewFields("Note", r.Note)
	}
	return r.Fields()
}

func (r Record) hasProblem() bool { return r.Status == theme.Failed || r.Status == theme.Warn }

// fieldIndent is the width of the names of fields.
const fieldIndent = 13

// renderLines returns everything about the record, wrapped. What has several lines begins on a line of its own, so that it can be
// selected with a mouse.
func (r Record) renderLines(t theme.Theme, width int) []string {
	lines := cells.WrapAfter(t.Mark(r.Status)+" ", t.Bold, strings.TrimSpace(r.Name), t.Indent(), width)
	for _, field := range r.listFields() {
		if strings.Contains(field.Text, "\n") || cells.Count(field.Name) >= fieldIndent || width < 2*fieldIndent {
			lines = append(append(lines, t.Label.Render(field.Name)), cells.Wrap(field.Text, "  ", width)...)
			continue
		}
		head, indent := t.Label.Render(cells.Fit(field.Name, fieldIndent)), strings.Repeat(" ", fieldIndent)
		wrapped := cells.Wrap(field.Text, indent, width)
		wrapped[0] = head + strings.TrimPrefix(wrapped[0], indent)
		lines = append(lines, wrapped...)
	}
	return lines
}
