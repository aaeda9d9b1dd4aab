package pane

import (
	"fmt"
	"strings"
)

// Quota is one limit of the organization and what the cluster does to it.
type Quota struct {
	Resource    string
	Used, Limit int // Limit below 0: none
	Need        int
	Unasked     bool // only the need is known
}

// After is how much is used once the cluster stands.
func (q Quota) After() int { return q.Used + q.Need }

// Short is how much is missing, 0 if it suffices.
func (q Quota) Short() int {
	if q.Unasked || q.Limit < 0 {
		return 0
	}
	return max(q.After()-q.Limit, 0)
}

// Status of the limit: one that nobody could tell waits.
func (q Quota) Status() Status {
	switch {
	case q.Unasked:
		return Waiting
	case q.Short() > 0:
		return Failed
	}
	return OK
}

// Quotas compares limits with needs, those that do not suffice first.
type Quotas struct {
	Theme Theme
	Rows  []Quota
	State Status // Waiting or Running while the limits are not known, Warn if nobody could tell them
	Note  string // what State means, e.g. "checking…" or "3s ago"
}

// Widths of the columns behind the name of the resource.
const (
	quotaColumn = 6
	quotaName   = 12
)

// View draws a table; where it does not find room, the limits that suffice are counted.
func (p Quotas) View(width, height int) string {
	rows := p.urgent()
	name := min(max(width-4*quotaColumn-cells(p.Theme.Indent())-1, 4), quotaName)
	lines, below := p.heading(name, width)
	room := max(height-1-len(below), 0)
	shown := rows
	if len(rows) > room {
		shown = rows[:max(room-1, 0)]
	}
	for _, row := range shown {
		lines = append(lines, p.row(row, name))
	}
	if rest := len(rows) - len(shown); rest > 0 {
		lines = append(lines, p.Theme.Dim.Render(fmt.Sprintf("and %d more: %s", rest, p.worst(rows[len(shown):]).Word())))
	}
	return Fill(append(lines, below...), width, height)
}

// Height is how many lines the whole table has at most.
func (p Quotas) Height() int {
	if p.Note == "" {
		return 1 + len(p.Rows)
	}
	return 2 + len(p.Rows)
}

// heading names the columns and says how old the limits are, below the table where there is no room beside the names.
func (p Quotas) heading(name, width int) (lines, below []string) {
	line := p.Theme.Label.Render(Fit("Quota", name))
	for _, title := range []string{"used", "need", "after", "limit"} {
		line += p.Theme.Dim.Render(number(title))
	}
	note := p.note()
	if cells(line)+1+cells(note) <= width {
		return []string{spread(line, note, width)}, nil
	}
	return []string{line}, []string{note}
}

// note says how old the limits are, or why there are none.
func (p Quotas) note() string {
	switch {
	case p.Note == "":
		return ""
	case p.State == Warn:
		return p.Theme.Mark(Warn) + " " + p.Theme.Caution.Render(p.Note)
	}
	return p.Theme.Dim.Render(p.Note)
}

func (p Quotas) row(q Quota, name int) string {
	used, after, limit := fmt.Sprint(q.Used), fmt.Sprint(q.After()), fmt.Sprint(q.Limit)
	if q.Limit < 0 {
		limit = "none"
	}
	if q.Unasked {
		used, after, limit = "?", "?", "?"
	}
	line := Fit(Clean(q.Resource), name) + number(used) + number(fmt.Sprint(q.Need)) + number(after) + number(limit)
	if q.Short() > 0 {
		line = p.Theme.Bad.Render(line)
	}
	return line + "  " + p.Theme.Mark(q.Status())
}

// number puts a number at the right of its column.
func number(text string) string {
	return strings.Repeat(" ", max(quotaColumn-cells(text), 1)) + text
}

// urgent puts what does not suffice first and keeps the order otherwise.
func (p Quotas) urgent() []Quota {
	short, rest := make([]Quota, 0, len(p.Rows)), make([]Quota, 0, len(p.Rows))
	for _, row := range p.Rows {
		if row.Short() > 0 {
			short = append(short, row)
		} else {
			rest = append(rest, row)
		}
	}
	return append(short, rest...)
}

func (p Quotas) worst(rows []Quota) Status {
	worst := OK
	for _, row := range rows {
		if status := row.Status(); status.urgency() < worst.urgency() {
			worst = status
		}
	}
	return worst
}

// Line tells the same in one line.
func (p Quotas) Line() string {
	if len(p.Rows) == 0 {
		return ""
	}
	first := p.urgent()[0]
	switch status := p.worst(p.Rows); status {
	case Failed:
		return p.Theme.Mark(Failed) + " " + p.Theme.Bad.Render(fmt.Sprintf("quota %s: %d of %d", Clean(first.Resource), first.After(), first.Limit))
	case Waiting:
		return p.Theme.Mark(status) + " " + strings.TrimSpace("quotas "+p.note())
	}
	return p.Theme.Mark(OK) + " quotas suffice"
}
