package plan

import (
	"fmt"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Quota is one limit of the organization and what the cluster needs of it.
type Quota struct {
	Resource    string
	Used, Limit int // Limit below 0: none
	Need        int
	Unknown     bool // only the need is known
}

// After returns the usage with the cluster.
func (q Quota) After() int { return q.Used + q.Need }

// missing returns the shortage, 0 if the limit suffices.
func (q Quota) missing() int {
	if q.Unknown || q.Limit < 0 {
		return 0
	}
	return max(q.After()-q.Limit, 0)
}

// Status returns the status of the limit: an unknown one is Waiting.
func (q Quota) Status() theme.Status {
	switch {
	case q.Unknown:
		return theme.Waiting
	case q.missing() > 0:
		return theme.Failed
	}
	return theme.OK
}

// Quotas compares limits with needs, shortages first.
type Quotas struct {
	Theme theme.Theme
	Rows  []Quota
	State theme.Status // Waiting or Running while the limits are not known, Warn if the lookup failed
	Note  string       // what State means, e.g. "checking…" or "3s ago"
}

const (
	quotaColumnWidth = 6
	quotaNameWidth   = 12
)

// View draws a table; where it does not fit, the limits that suffice are counted.
func (p Quotas) View(width, height int) string {
	rows := p.sortByStatus()
	name := min(max(width-4*quotaColumnWidth-cells.Count(p.Theme.Indent())-1, 4), quotaNameWidth)
	lines, below := p.renderHeading(name, width)
	room := max(height-1-len(below), 0)
	shown := rows
	if len(rows) > room {
		shown = rows[:max(room-1, 0)]
	}
	for _, row := range shown {
		lines = append(lines, p.renderRow(row, name))
	}
	if rest := len(rows) - len(shown); rest > 0 {
		lines = append(lines, p.Theme.Dim.Render(fmt.Sprintf("and %d more: %s", rest, p.computeStatus(rows[len(shown):]).Word())))
	}
	return cells.Fill(append(lines, below...), width, height)
}

// Height returns the number of lines of the whole table.
func (p Quotas) Height() int {
	if p.Note == "" {
		return 1 + len(p.Rows)
	}
	return 2 + len(p.Rows)
}

// The age of the limits is below the table where it does not fit beside the names.
func (p Quotas) renderHeading(name, width int) (lines, below []string) {
	line := p.Theme.Label.Render(cells.Fit("Quota", name))
	for _, title := range []string{"used", "need", "after", "limit"} {
		line += p.Theme.Dim.Render(padNumber(title))
	}
	note := p.renderNote()
	if cells.Count(line)+1+cells.Count(note) <= width {
		return []string{cells.JoinEnds(line, note, width)}, nil
	}
	return []string{line}, []string{note}
}

func (p Quotas) renderNote() string {
	switch {
	case p.Note == "":
		return ""
	case p.State == theme.Warn:
		return p.Theme.Mark(theme.Warn) + " " + p.Theme.Caution.Render(p.Note)
	}
	return p.Theme.Dim.Render(p.Note)
}

func (p Quotas) renderRow(q Quota, name int) string {
	used, after, limit := fmt.Sprint(q.Used), fmt.Sprint(q.After()), fmt.Sprint(q.Limit)
	if q.Limit < 0 {
		limit = "none"
	}
	if q.Unknown {
		used, after, limit = "?", "?", "?"
	}
	line := cells.Fit(cells.Sanitize(q.Resource), name) + padNumber(used) + padNumber(fmt.Sprint(q.Need)) + padNumber(after) + padNumber(limit)
	if q.missing() > 0 {
		line = p.Theme.Bad.Render(line)
	}
	return line + "  " + p.Theme.Mark(q.Status())
}

func padNumber(text string) string {
	return strings.Repeat(" ", max(quotaColumnWidth-cells.Count(text), 1)) + text
}

// sortByStatus puts shortages first and keeps the order otherwise.
func (p Quotas) sortByStatus() []Quota {
	short, rest := make([]Quota, 0, len(p.Rows)), make([]Quota, 0, len(p.Rows))
	for _, row := range p.Rows {
		if row.missing() > 0 {
			short = append(short, row)
		} else {
			rest = append(rest, row)
		}
	}
	return append(short, rest...)
}

func (p Quotas) computeStatus(rows []Quota) theme.Status {
	worst := theme.OK
	for _, row := range rows {
		if status := row.Status(); status.Urgency() < worst.Urgency() {
			worst = status
		}
	}
	return worst
}

// RenderLine returns the same in one line.
func (p Quotas) RenderLine() string {
	if len(p.Rows) == 0 {
		return ""
	}
	first := p.sortByStatus()[0]
	switch status := p.computeStatus(p.Rows); status {
	case theme.Failed:
		return p.Theme.Mark(theme.Failed) + " " + p.Theme.Bad.Render(fmt.Sprintf("quota %s: %d of %d", cells.Sanitize(first.Resource), first.After(), first.Limit))
	case theme.Waiting:
		return p.Theme.Mark(status) + " " + strings.TrimSpace("quotas "+p.renderNote())
	}
	return p.Theme.Mark(theme.OK) + " quotas ok"
}
