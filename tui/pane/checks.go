package pane

import (
	"fmt"
	"strings"
	"time"
)

// Check is one thing that is looked at before an installation.
type Check struct {
	Title string
	Marks []Status // how it is; none: it waits
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

// Checks lists checks and below them services that are probed, and below or beside them says more of the selected one.
type Checks struct {
	Theme     Theme
	Head      string // how it is as a whole, one line with styles
	Rows      []Check
	Endpoints Endpoints
	Details   EndpointDetails // of the selected endpoint
	Selected  int             // a row, or behind the rows an endpoint
	Foot      string          // what to do now, one line with styles
}

// Widths and heights of the parts.
const (
	checksBeside = 120 // from here on the explanation stands beside the list
	explainLeast = 6
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
	list := min(p.height(), max(height-2-p.explainRoom(width, height), 1))
	lines := append([]string{" " + p.Head, p.Theme.Rule(width)}, p.list(width, list)...)
	if room := height - len(lines) - 1; room > 0 && len(p.Rows) > 0 {
		lines = append(append(lines, p.Theme.Rule(width)), p.explanation(width, room)...)
	}
	return Fill(lines, width, height)
}

func (p Checks) beside(width, height int) string {
	left := width * 55 / 100
	list := p.list(left, height-2)
	explanation := p.explanation(width-left-2, height-2)
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

// explainRoom is how many lines the explanation gets where it stands below the list.
func (p Checks) explainRoom(width, height int) int {
	if p.Selected < len(p.Rows) {
		return explainLeast
	}
	return max(explainLeast, min(p.Details.Lines(width)+1, height/2))
}

// height is how many lines the whole list has.
func (p Checks) height() int { return len(p.Rows) + len(p.services()) }

// services are the lines of the endpoints, with a heading.
func (p Checks) services() []endpointLine {
	if lines := p.Endpoints.lines(); len(lines) > 0 {
		return append([]endpointLine{{row: -1, heading: true}}, lines...)
	}
	return nil
}

// list is as much of all lines as has room, with the selected one in it.
func (p Checks) list(width, height int) []string {
	services, at := p.services(), p.Selected
	for i, line := range services {
		if p.Selected >= len(p.Rows) && line.row == p.Selected-len(p.Rows) {
			at = len(p.Rows) + i
		}
	}
	p.Endpoints.Selected = p.Selected - len(p.Rows)
	draw := func(i int) string {
		if i < len(p.Rows) {
			return p.row(p.Rows[i], i == p.Selected, width)
		}
		return p.Endpoints.line(services[i-len(p.Rows)], width)
	}
	return windowOf(p.Theme, len(p.Rows)+len(services), draw, at-height/2, height)
}

func (p Checks) row(c Check, selected bool, width int) string {
	t := p.Theme
	line := "  "
	if selected {
		line = t.Focus.Render(t.Prong) + " "
	}
	for _, mark := range c.Marks {
		line += t.Mark(mark) + " "
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
func (p Checks) explanation(width, height int) []string {
	switch {
	case p.Selected < 0:
		return nil
	case p.Selected >= len(p.Rows):
		return strings.Split(p.Details.View(width, height), "\n")
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
