package pane

import (
	"fmt"
	"strings"
	"time"
)

// Check is one thing that is looked at before an installation.
type Check struct {
	Title string
	Marks []Status // how it is, one for each place that it is looked at from
	Text  string   // what was seen, what is wrong, or why it was skipped
	Hint  string   // what to do about it
	Way   string   // where to change what is wrong, e.g. "3 Nodes: sizing.storage.type"; empty if nobody knows
	Took  time.Duration
}

// worst is the status that needs attention most.
func (c Check) worst() Status {
	if len(c.Marks) == 0 {
		return Waiting
	}
	worst := c.Marks[0]
	for _, mark := range c.Marks {
		if mark.urgency() < worst.urgency() {
			worst = mark
		}
	}
	return worst
}

// Checks lists checks, and below or beside them says more of the selected one.
type Checks struct {
	Theme    Theme
	Head     string   // how it is as a whole, one line with styles
	Columns  []string // what the marks are called; nil where there is one of each check
	Rows     []Check
	Selected int
	Foot     string // what to do now, one line with styles
}

// Widths and heights of the parts.
const (
	checksBeside = 120 // from here on the explanation stands beside the list
	explainLeast = 6
	checkColumn  = 6
)

// View draws the list and the explanation.
func (p Checks) View(width, height int) string {
	if p.Foot != "" && width > 0 && height > explainLeast {
		foot := p.Foot
		p.Foot = ""
		return p.View(width, height-1) + "\n" + Fill([]string{" " + foot}, width, 1)
	}
	if width >= checksBeside {
		return p.beside(width, height)
	}
	list := min(len(p.table(width)), max(height-2-explainLeast, 1))
	lines := append([]string{" " + p.Head, p.Theme.Rule(width)}, p.list(width, list)...)
	if room := height - len(lines) - 1; room > 0 && len(p.Rows) > 0 {
		lines = append(append(lines, p.Theme.Rule(width)), p.explanation(width)...)
	}
	return Fill(lines, width, height)
}

func (p Checks) beside(width, height int) string {
	left := width * 55 / 100
	list := p.list(left, height-2)
	explanation := p.explanation(width - left - 2)
	lines := []string{" " + p.Head, p.Theme.Rule(width)}
	for y := range max(height-2, 0) {
		lines = append(lines, Fit(orBlank(list, y), left)+p.Theme.Border.Render(p.Theme.vertical)+" "+orBlank(explanation, y))
	}
	return Fill(lines, width, height)
}

func orBlank(lines []string, y int) string {
	if y < len(lines) {
		return lines[y]
	}
	return ""
}

// list is as much of the table as has room, with the selected check in it.
func (p Checks) list(width, height int) []string {
	table := p.table(width)
	heading := len(table) - len(p.Rows)
	return append(table[:heading:heading], window(p.Theme, table[heading:], p.Selected-(height-heading)/2, height-heading)...)
}

func (p Checks) table(width int) []string {
	var lines []string
	if len(p.Columns) > 0 {
		line := "   "
		for _, column := range p.Columns {
			line += p.Theme.Dim.Render(Fit(column, checkColumn))
		}
		lines = append(lines, line)
	}
	for i, row := range p.Rows {
		lines = append(lines, p.row(row, i == p.Selected, width))
	}
	return lines
}

func (p Checks) row(c Check, selected bool, width int) string {
	t := p.Theme
	line := "  "
	if selected {
		line = t.Focus.Render(t.Prong) + " "
	}
	for i, mark := range c.Marks {
		column := t.Mark(mark) + " "
		if len(p.Columns) > 0 && i < len(p.Columns) {
			column = Fit(column, checkColumn)
		}
		line += column
	}
	title := c.Title
	if selected {
		title = t.Bold.Render(title)
	}
	took := ""
	if c.Took >= time.Second {
		took = t.Dim.Render(Short(c.Took))
	}
	return " " + spread(line+title+p.remark(c), took, width-2)
}

// remark is what a row says of a check besides its title.
func (p Checks) remark(c Check) string {
	status := c.worst()
	switch {
	case status == Waiting, c.Text == "":
		return p.Theme.Dim.Render("  " + status.Word())
	case status == OK, status == Skipped, status == Running:
		return p.Theme.Dim.Render("  " + c.Text)
	}
	return "  " + p.Theme.Style(status).Render(status.Word()) + "  " + c.Text
}

// explanation says everything about the selected check.
func (p Checks) explanation(width int) []string {
	if p.Selected < 0 || p.Selected >= len(p.Rows) {
		return nil
	}
	return Finding{Theme: p.Theme, Check: p.Rows[p.Selected]}.lines(width)
}

// Finding says everything about one check.
type Finding struct {
	Theme Theme
	Check Check
}

// View draws what fits.
func (p Finding) View(width, height int) string {
	return Fill(append([]string{""}, p.lines(width)...), width, height)
}

func (p Finding) lines(width int) []string {
	t, c := p.Theme, p.Check
	status := c.worst()
	head := " " + t.Mark(status) + " " + t.Style(status).Bold(true).Render(strings.ToUpper(status.Word()))
	lines := wrapAfter(head+" ", t.Bold, c.Title, " "+t.Indent(), width)
	lines = append(lines, wrapIn(t.Plain, c.Text, " "+t.Indent(), width)...)
	if c.Hint != "" {
		lines = append(lines, p.todo(c, width)...)
	}
	if c.Way != "" {
		lines = append(lines, wrapAfter(" "+t.Bold.Render("enter")+" ", t.Plain, "goes to "+c.Way, " "+t.Indent(), width)...)
	}
	return lines
}

// todo says what to do; lines that are there to be copied stay whole.
func (p Finding) todo(c Check, width int) []string {
	head := " " + p.Theme.Label.Render("Do this") + " "
	if !strings.Contains(c.Hint, "\n") {
		return wrapAfter(head, p.Theme.Plain, c.Hint, " "+p.Theme.Indent(), width)
	}
	return append([]string{head}, Wrap(c.Hint, " ", width)...)
}

// Tally counts checks in words, e.g. "6 of 8 ok, 1 failed, 1 skipped".
func (p Checks) Tally() string {
	count := map[Status]int{}
	for _, row := range p.Rows {
		count[row.worst()]++
	}
	tally := fmt.Sprintf("%d of %d ok", count[OK], len(p.Rows))
	for _, status := range []Status{Failed, Warn, Running, Skipped} {
		if n := count[status]; n > 0 {
			tally += fmt.Sprintf(", %d %s", n, status.Word())
		}
	}
	return tally
}
